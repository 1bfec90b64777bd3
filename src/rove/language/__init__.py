"""Analysis of text in many languages: its language, words, sentences and number of tokens. All of it is pure."""
