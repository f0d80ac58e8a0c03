"""The one engine for patterns: where one lies in a graph, what graphs have in common, which graphs are the same."""
