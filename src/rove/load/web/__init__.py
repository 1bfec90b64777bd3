"""The web: which address may be asked, one function that fetches, and the pages of a site."""
