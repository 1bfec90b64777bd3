"""Training of what Rove ships trained: `python -m train.late_interaction`."""
