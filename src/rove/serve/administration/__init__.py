"""For administrators and their tools: health, metrics, spaces, export and import."""
