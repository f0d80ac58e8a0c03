"""The paper's graph classifier: training, saving and loading."""

from protograph.training.gcn import GCN, load_model, save_model
from protograph.training.training import Trained, train

__all__ = ["GCN", "Trained", "load_model", "save_model", "train"]
