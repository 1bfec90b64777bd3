"""Evaluations over HTTP: run one at a time in each base, kept on disk, and reported."""
