"""What `bin/dev` does: it installs what a machine lacks, then starts, tests or checks Scorebook. Linux only.

Each module has one duty, for example `environment` (Python packages), `cluster` (a PostgreSQL server of this checkout),
`database` (which database and roles), `frontend` (Node and the built pages), `supervise` (the running parts), `checks`
and `tests` (what CI runs).
"""
