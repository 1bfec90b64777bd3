"""The operators that come with Rove. Each calls what the stages of `add` and `ask` call."""
