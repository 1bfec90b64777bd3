"""PowerPoint presentations: the shapes of each slide, and what they have from its layout."""
