"""Questions to databases: a question becomes one SELECT, which is checked, run read-only, and answered with its rows.

Three ways in, one way out: `by_rules` or `by_model` write SQL, `check` decides whether it may run, a `Target` runs it,
and `reply` says what came out of it.
"""
