import numpy as np
import torch
from torch_geometric.data import Data

from protograph.datasets import mnist_sp
from protograph.datasets.files import DataFiles
from protograph.datasets.mnist_sp import GRID, LEVELS, SIDE
from protograph.explanation import Explanation, Prototype
from research.paper.digits import FINE, GREYS, digit_figure, digit_record, mosaic, pixels_of


def superpixel(level, cell):
    row = torch.zeros(len(LEVELS) + GRID * GRID)
    row[level] = row[len(LEVELS) + cell] = 1
    return row


# Two superpixels, bright on the left and black on the right, both in the middle row.
SOURCE = Data(
    x=torch.stack([superpixel(2, 7 * GRID), superpixel(0, 7 * GRID + 13)]),
    edge_index=torch.tensor([[0, 1, 0], [1, 0, 0]]),
    pos=torch.tensor([[0.0, 13.0], [27.0, 13.0]]),
)


def explained(prototype):
    return Explanation(
        target=0,
        prototypes=[prototype],
        explainer="PAGE",
        options={},
        class_names=("no", "yes"),
        num_graphs=1,
        num_predicted=1,
        source_graphs={5: SOURCE},
    )


def test_what_was_cut_from_a_graph_comes_with_its_superpixels():
    part = Data(x=SOURCE.x[1:], edge_index=torch.empty(2, 0, dtype=torch.long))
    prototype = Prototype(graph=part, probability=0.75, margin=1.1, source=5, nodes=[1])
    assert digit_record(prototype, explained(prototype), {5: [[7]]}.get) == {
        "kinds": [0],
        "places": [[27.0, 13.0]],
        "edges": [],
        "probability": 0.75,
        "image": {"kinds": [2, 0], "places": [[0.0, 13.0], [27.0, 13.0]], "pixels": [[7]]},
    }


def test_what_was_generated_lies_in_the_middle_of_its_cells():
    made = Data(x=SOURCE.x, edge_index=SOURCE.edge_index)
    prototype = Prototype(graph=made, probability=0.5, margin=0.0)
    record = digit_record(prototype, explained(prototype), {5: [[7]]}.get)
    # Column 0 has the pixels 0 and 1, column 13 the pixels 26 and 27; row 7 from the top has 14 and 15 of 28.
    assert record["places"] == [[0.5, 12.5], [26.5, 12.5]]
    assert record["edges"] == [[0, 1]]
    assert record["image"] is None


def test_each_point_of_the_image_is_that_of_the_nearest_superpixel():
    image = mosaic({"kinds": [2, 0], "places": [[0.0, 13.0], [27.0, 13.0]]})
    assert image.shape == (SIDE * FINE, SIDE * FINE)
    half = SIDE * FINE // 2
    assert np.unique(image[:, :half]).tolist() == [GREYS["bright"]]
    assert np.unique(image[:, half:]).tolist() == [GREYS["black"]]


def test_rows_of_the_image_begin_at_the_top():
    image = mosaic({"kinds": [2, 0], "places": [[13.0, 27.0], [13.0, 0.0]]})
    assert image[0, 0] == GREYS["bright"]
    assert image[-1, 0] == GREYS["black"]


def test_the_image_is_drawn_where_it_is_known():
    image = {"kinds": [2], "places": [[3.0, 4.0]], "pixels": [[0] * SIDE] * (SIDE - 1) + [[255] * SIDE]}
    record = {"kinds": [2], "places": [[3.0, 4.0]], "edges": [], "probability": 0.5, "image": image}
    (axes,) = digit_figure({"PAGE": [record]}, 0).axes
    (drawn,) = axes.images
    assert drawn.get_array().tolist() == [[0.0] * SIDE] * (SIDE - 1) + [[1.0] * SIDE]


def test_images_are_read_from_the_files_that_graphs_were_built_from(tmp_path, monkeypatch):
    pictures = np.arange(2 * SIDE * SIDE).reshape(2, SIDE, SIDE) % 256
    content = bytes(16) + pictures.astype(np.uint8).tobytes()
    read = []

    def reading(files, file):
        read.append(file.relative)
        return content

    monkeypatch.setattr(DataFiles, "read", reading)
    assert pixels_of(mnist_sp.SOURCE, 1, tmp_path) == pictures[1].tolist()
    assert pixels_of(mnist_sp.SOURCE, 60_000, tmp_path) == pictures[0].tolist()
    assert read == ["mnist/train-images-idx3-ubyte", "mnist/t10k-images-idx3-ubyte"]
    assert pixels_of("PyG's", 1, tmp_path) is None


def test_prototypes_stand_below_their_explainer():
    record = {"kinds": [2], "places": [[3.0, 4.0]], "edges": [], "probability": 0.5, "image": None}
    figure = digit_figure({"PAGE": [record, record], "XGNN": []}, 0)
    assert len(figure.axes) == 2
    texts = [text.get_text() for text in figure.texts]
    assert texts[2:] == ["PAGE", "p = 0.500, 1 nodes", "p = 0.500, 1 nodes", "XGNN", "nothing found"]
