"""What admins see of the platform as a whole: dashboard, alerts, metrics, the status API."""
