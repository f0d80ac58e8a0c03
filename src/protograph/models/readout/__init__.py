"""Where a model reads its graphs out of their nodes: found by watching one call, and caught in every other."""
