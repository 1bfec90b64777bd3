"""reStructuredText: parsed by docutils, and its tree written as canonical text."""
