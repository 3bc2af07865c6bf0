"""What `bin/dev` does: brings what a machine lacks, then starts, tests or checks Scorebook. Linux only.

One duty a module: `environment` (Python packages), `cluster` (a PostgreSQL of our own), `database` (whose database,
which roles), `frontend` (Node and the built pages), `supervise` (the running parts), `checks` and `tests` (what CI
runs).
"""
