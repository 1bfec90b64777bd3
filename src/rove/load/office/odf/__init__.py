"""OpenDocument texts and presentations: one reader of their common content."""
