"""Data: trees of names and values, records, and tables of any length."""
