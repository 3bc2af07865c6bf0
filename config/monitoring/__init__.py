"""What admins see of the whole platform: dashboard, alerts, metrics, status API."""
