"""Bases served over HTTP, as an OpenAI-shaped endpoint and as tools (MCP), to callers who each see what is theirs.

One way in: a request passes the gate (`gate`), which names its caller (`callers`), and reaches a base through that
caller's view of it (`view`), the only place that holds the engine. Routes and tools hold nothing but views.
"""
