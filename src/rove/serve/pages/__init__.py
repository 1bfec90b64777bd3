"""What a browser shows: the web page itself, and pages of documents as pictures."""
