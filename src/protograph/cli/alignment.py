"""A model of ours and graphs of another file: the columns of features must mean the same."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import nn
from torch_geometric.data import Data

from protograph.datasets import GraphDataset

OTHER = "#8A8A8A"  # of what does not occur


def aligned(graphs: Sequence[Data], model: nn.Module) -> Sequence[Data]:
    """The graphs with the columns of ``x`` that the model was trained with, by their names.

    Two tables of molecules have the columns of the atoms that occur in each. Where names are not known on either side,
    the graphs come back as they are.

    Raises:
        ValueError: If the graphs have nodes of a kind that the model does not know, or other classes.
    """
    wanted: tuple[str, ...] = getattr(model, "feature_names", ())
    if not isinstance(graphs, GraphDataset) or not wanted:
        return graphs
    classes: tuple[str, ...] = getattr(model, "class_names", ())
    if classes and graphs.class_names != classes:
        raise ValueError(
            f"the model tells apart the classes {', '.join(classes)}, but the graphs have "
            f"{', '.join(graphs.class_names)}; give graphs with the same classes, or train a model on these"
        )
    own = graphs.feature_names
    if not own or own == wanted:
        return graphs
    unknown = [column for column, name in enumerate(own) if name not in wanted]
    used = [own[column] for column in unknown if any(bool(graph.x[:, column].any()) for graph in graphs)]
    if used:
        raise ValueError(
            f"the model was trained on nodes of {', '.join(wanted)}, but the graphs also have {', '.join(used)}; "
            f"give graphs without them, or train a model on these"
        )
    columns = torch.tensor([own.index(name) if name in own else len(own) for name in wanted])
    colors = dict(zip(own, graphs.colors, strict=True)) if graphs.colors else {}
    return replace(
        graphs,
        # A column of zeros behind the others stands for what does not occur.
        graphs=[Data(**graph.to_dict() | {"x": nn.functional.pad(graph.x, (0, 1))[:, columns]}) for graph in graphs],
        feature_names=wanted,
        colors=tuple(colors.get(name, OTHER) for name in wanted) if colors else (),
    )
