"""Pure text in many languages: which language, which words, which sentences, how many tokens."""
