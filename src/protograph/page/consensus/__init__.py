"""Phase 2 of our own: what k graphs have in common, trimmed to what belongs to the class."""
