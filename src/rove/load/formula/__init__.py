"""Formulas as LaTeX, whichever format keeps them."""
