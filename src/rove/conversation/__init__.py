"""Conversations: one turn is understood, routed, searched or gathered for, and answered: stages 5, 6 and 7 in a row.

`respond` is the way of a question; `gathering` searches in two rounds where the settings ask for it, and `grading`
says of each chunk whether it helps.
"""
