"""Questions over HTTP: searches and answers, their filters and their replies."""
