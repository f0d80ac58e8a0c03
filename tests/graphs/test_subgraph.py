import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import FaceToEdge

from protograph.graphs.subgraph import induced_subgraph, reordered, uncut_keys


def test_every_tensor_of_nodes_and_edges_is_carried_along():
    graph = Data(
        x=torch.arange(4.0).reshape(4, 1),
        edge_index=torch.tensor([[0, 1, 1, 2, 2, 3, 3], [1, 0, 2, 1, 3, 2, 3]]),
        edge_attr=torch.arange(7.0),
        charge=torch.tensor([10, 11, 12, 13]),
        y=torch.tensor([1]),
        temperature=torch.tensor([300.0, 1.0]),
        smiles="CCO",
    )
    part = induced_subgraph(graph, [3, 2])
    assert part.x.flatten().tolist() == [3, 2]
    assert part.charge.tolist() == [13, 12]
    assert part.edge_index.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert part.edge_attr.tolist() == [4, 5, 6]
    assert part.temperature.tolist() == [300, 1]
    assert "y" not in part
    assert "smiles" not in part


def test_the_label_of_a_graph_of_one_node_is_not_its_node_s():
    graph = Data(x=torch.ones(1, 2), edge_index=torch.empty(2, 0, dtype=torch.long), y=torch.tensor([1]))
    assert "y" not in induced_subgraph(graph, [0])


def test_only_some_edges_are_kept():
    graph = Data(
        x=torch.arange(4.0).reshape(4, 1),
        edge_index=torch.tensor([[0, 1, 1, 2, 2, 0, 3, 2, 3], [1, 0, 2, 1, 0, 2, 3, 3, 2]]),
        edge_attr=torch.arange(9.0),
        charge=torch.tensor([10, 11, 12, 13]),
    )
    part = induced_subgraph(graph, range(4), [(2, 1), (0, 1), (0, 3)])  # there is no edge between 0 and 3
    assert part.edge_index.tolist() == [[0, 1, 1, 2, 3], [1, 0, 2, 1, 3]]
    assert part.edge_attr.tolist() == [0, 1, 2, 3, 6]
    assert part.charge.tolist() == [10, 11, 12, 13]
    assert part.num_nodes == 4
    assert graph.edge_index.size(1) == graph.edge_attr.size(0) == 9
    turned = induced_subgraph(graph, [2, 1], [(1, 2)])
    assert (turned.edge_index.tolist(), turned.edge_attr.tolist()) == ([[1, 0], [0, 1]], [2, 3])


def test_edges_stay_as_they_are():
    ends = torch.tensor([[0, 0, 2, 1, 1, 1], [1, 1, 0, 2, 1, 1]], dtype=torch.int32)
    graph = Data(edge_index=ends, edge_attr=torch.arange(6), num_nodes=3)
    part = induced_subgraph(graph, [0, 1], [(0, 1)])
    assert (part.edge_index.tolist(), part.edge_attr.tolist()) == ([[0, 0, 1, 1], [1, 1, 1, 1]], [0, 1, 4, 5])
    assert part.edge_index.dtype is torch.int32
    other = reordered(graph, [1, 0, 2])
    assert other.edge_index.tolist() == [[0, 0, 0, 1, 1, 2], [0, 0, 2, 0, 0, 1]]
    assert other.edge_attr.tolist() == [4, 5, 3, 0, 1, 2]


class Tree(Data):
    """A graph of PyG's recipe for a tree beside it, with numbers of nodes, of cliques, and of both."""

    def __inc__(self, key, value, *args, **kwargs):
        if key == "tree_edge_index":
            return self.num_cliques
        if key == "clique_of":
            return torch.tensor([[self.x.size(0)], [self.num_cliques]])
        return self.num_nodes if key == "root" else super().__inc__(key, value, *args, **kwargs)

    def __cat_dim__(self, key, value, *args, **kwargs):
        if key == "wide":
            return 1
        return None if key == "fingerprint" else super().__cat_dim__(key, value, *args, **kwargs)


TREE = Tree(
    x=torch.arange(3.0)[:, None],
    edge_index=torch.tensor([[0, 1], [1, 2]]),
    num_cliques=3,  # as many as there are nodes, as it happens
    tree_edge_index=torch.tensor([[0, 1], [1, 2]]),
    clique_of=torch.tensor([[0, 1, 2, 2], [0, 0, 1, 2]]),
    root=2,
    motif_index=torch.tensor([0, -1, 2]),
    face=torch.tensor([[0], [1], [2]]),
    wide=torch.tensor([[1, 2, 3]]),
    fingerprint=torch.tensor([5, 6]),
    words=["a", "b", "c"],
    smiles="CCC",
)


def test_what_numbers_nodes_is_left_out_of_a_part():
    part = induced_subgraph(TREE, [2, 1])
    assert set(part.keys()) == {"x", "edge_index", "num_cliques", "wide", "fingerprint"}
    assert type(part) is Tree
    assert (part.wide.tolist(), part.fingerprint.tolist()) == ([[3, 2]], [5, 6])
    assert sorted(uncut_keys(TREE)) == ["clique_of", "face", "motif_index", "root", "tree_edge_index", "words"]


def test_numbers_of_nodes_follow_another_order():
    other = reordered(TREE, [2, 0, 1])
    assert (other.root, other.motif_index.tolist(), other.face.flatten().tolist()) == (0, [1, -1, 0], [1, 2, 0])
    assert other.clique_of.tolist() == [[1, 2, 0, 0], [0, 0, 1, 2]]
    assert other.tree_edge_index.tolist() == [[0, 1], [1, 2]]
    assert other.wide.tolist() == [[3, 1, 2]]
    assert TREE.root == 2


@pytest.mark.parametrize("key", ["batch", "ptr", "index", "batch_of", "refractive_index", "assoc_index"])
def test_no_name_of_an_attribute_keeps_a_graph_from_being_cut(key):
    for value in (
        torch.tensor([[0, 1, 7]]),
        torch.tensor([0, 2]),
        torch.tensor(1.5),
        2,
        2**80,
        True,
        None,
        [1, 2, 3],
        "CCO",
    ):
        graph = Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]])).update({key: value})
        assert induced_subgraph(graph, [1, 2]).edge_index.tolist() == [[0], [1]]
        assert reordered(graph, [2, 1, 0]).edge_index.tolist() == [[1, 2], [0, 1]]


def test_tensors_of_any_type_are_cut():
    few = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=3, few=torch.tensor([0, 1, 2], dtype=torch.uint16))
    assert induced_subgraph(few, [2, 0]).few.tolist() == [2, 0]


def test_a_mesh_keeps_its_faces_in_another_order():
    mesh = FaceToEdge(remove_faces=False)(Data(pos=torch.rand(4, 3), face=torch.tensor([[0, 1], [1, 2], [2, 3]])))
    order = [3, 1, 0, 2]
    other = reordered(mesh, order)
    assert torch.equal(other.pos[other.face], mesh.pos[mesh.face])
