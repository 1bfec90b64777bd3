"""The OpenAI-shaped API: a space is a model."""
