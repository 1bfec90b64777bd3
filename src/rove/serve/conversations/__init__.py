"""Conversations over HTTP: kept for their owner, taken up again, judged, exported."""
