"""Bases served over HTTP, as an OpenAI-shaped endpoint and as tools (MCP), to callers who each see what is theirs.

One way in: a request passes the middleware (`admission.middleware`), which names its caller (`admission.callers`), and
reaches a base through that caller's view of it (`caller_view`), the only place that holds the engine. Routes and tools
hold nothing but views. Each room has its routes (`routes`) and its requests and replies (`schema`).
"""
