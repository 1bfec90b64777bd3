"""A clerk's questions over mixed files in five languages: what is shown, right, cut, or refused."""
