"""The PAGE method, one step a file: selection, scoring, matching, starts, search, retrieval."""
