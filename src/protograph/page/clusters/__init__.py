"""Phase 1: clusters of a class, and the graphs nearest their means."""
