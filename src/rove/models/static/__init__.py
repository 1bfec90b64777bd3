"""Static vectors: a text is the weighted sum of its words' vectors, which no layer is run for.

`pieces` has a vector for each piece of the packaged model's vocabulary, `words` cuts words into pieces and keeps their
sums, `embedder` adds up texts. How the vectors came about and what they are worth: docs/decisions/044-static.md.
"""
