"""What admins see of the platform as a whole: dashboard, alerts, status API, metrics, search."""
