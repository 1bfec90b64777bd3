"""Questions about documents as such: the whole, which, how many, what changed, which comes first, what held when."""
