"""Who may come in: connections, callers and their keys, rate limits, and the middleware that holds them."""
