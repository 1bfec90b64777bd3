"""A worked case: from an alarm to its root cause, over a graph of events, with tools that look at live systems."""
