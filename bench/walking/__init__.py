"""Does a walk arrive? Small corpora whose questions take two to four steps; half of them are held for the end."""
