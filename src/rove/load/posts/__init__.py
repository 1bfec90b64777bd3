"""Dumps of posts: columns by their names, cleaning, the reply tree, one document a post."""
