"""Explainers to compare PAGE with: XGNN, GNNInterpreter, random subgraphs."""
