"""Numbers in texts: read with their units, magnitudes and dates as the language of the text writes them."""
