"""Workers that play games: leases, the runner, sandboxed bots, and Celery's tasks that wake them."""
