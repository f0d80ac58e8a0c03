"""Graphs as users have them: checking, cleaning, keeping, cutting."""
