"""Conversations: one turn is understood, routed, gathered or searched for, and answered."""
