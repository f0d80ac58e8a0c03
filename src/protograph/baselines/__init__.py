"""Explainers to compare PAGE with, under the same contract."""

from protograph.baselines.gnninterpreter import GNNInterpreter
from protograph.baselines.random_subgraph import RandomSubgraph
from protograph.baselines.xgnn import XGNN

__all__ = ["XGNN", "GNNInterpreter", "RandomSubgraph"]
