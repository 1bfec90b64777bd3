"""One large base in a folder and in Postgres, which a team of servers shares: `python -m bench team`.

`passages` makes what is in it, `steps` the measurements, each a process of its own, `load` puts servers under load
while they are restarted, `run` makes the tables.
"""
