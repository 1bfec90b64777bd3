"""Formulas as LaTeX, whichever format keeps them: Office's (OMML) and MathML."""
