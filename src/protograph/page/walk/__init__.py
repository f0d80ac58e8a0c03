"""Phase 2 as in the paper: k graphs are walked in step."""
