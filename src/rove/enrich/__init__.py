"""Stage 3 of 6: give chunks what they are found by: their terms and their vectors."""
