import torch
from matplotlib.figure import Figure
from torch_geometric.data import Data

from protograph.report.layout import layout
from protograph.report.palette import palette_of
from protograph.report.panel import draw_view
from protograph.report.scene import View


def test_loops_of_every_node_are_not_drawn():
    path = torch.tensor([[0, 1, 1, 2, 0, 1, 2], [1, 0, 2, 1, 0, 1, 2]])
    for edge_index, num_loops in ((path, 0), (path[:, :-1], 2)):
        graph = Data(x=torch.ones(3, 1), edge_index=edge_index)
        axes = Figure().add_axes((0, 0, 1, 1))
        draw_view(axes, (3.0, 3.0), View(graph, layout(graph)), palette_of([graph]))
        assert len(axes.patches) == num_loops
