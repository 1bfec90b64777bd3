"""The campaign: Rove attacked by scripts of its own, seeded and bounded."""
