"""The routes, by noun. Each reaches a base through the caller's view, and nothing else."""
