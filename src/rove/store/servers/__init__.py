"""Indexes that are servers of their own."""
