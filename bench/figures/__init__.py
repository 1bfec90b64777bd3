"""Figures that Rove says: numbers that are read, and slots of tools that are filled; right, wrong and refused."""
