"""Recordings: what is said in them, with the seconds at which it is said."""
