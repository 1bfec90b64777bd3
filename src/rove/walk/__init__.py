"""Stage 6 of 7: many rounds: what was found gives facts and leads, the leads are followed, until enough is found."""
