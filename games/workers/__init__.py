"""Workers that play games: leases, the runner, and the processes of uploaded bots."""
