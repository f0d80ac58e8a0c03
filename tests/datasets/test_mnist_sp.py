import gzip
import os
import pickle
import re
import struct
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch

from protograph import datasets
from protograph.datasets import mnist_sp, superpixels
from protograph.datasets.dataset import LazyGraphs
from protograph.report.palette import palette_of
from tests.datasets.real_files import find, needs
from tests.datasets.test_superpixels import drawn

REAL = needs("mnist/train-images-idx3-ubyte.gz")
IMAGES = drawn(5)
SHAPES = "x must have the shape (75, 1) and pos (75, 2)"
DIGITS = np.array([3, 0, 9, 1, 1], dtype=np.uint8)


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOGRAPH_CACHE", str(tmp_path_factory.mktemp("cache")))
        first = datasets.load("mnist-sp", num_graphs=300)
        patch.setattr(superpixels, "build", None)
        again = datasets.load("mnist-sp", num_graphs=300)
    assert all(same(one, two) for one, two in zip(first, again, strict=True))
    return again


@pytest.fixture
def few(monkeypatch):
    """A data set of three digits to train on and two to test with, of any checksum."""
    monkeypatch.setattr(mnist_sp, "SIZES", {"train": 3, "test": 2})
    monkeypatch.setattr(mnist_sp, "FILES", tuple(replace(file, sha256=None) for file in mnist_sp.FILES))


@pytest.fixture
def root(few, tmp_path):
    """A folder with the small MNIST files."""
    write_idx(tmp_path / "data")
    return tmp_path / "data"


def write_idx(folder, images=IMAGES, digits=DIGITS):
    (folder / "mnist").mkdir(parents=True)
    arrays = (images[:3], digits[:3], images[3:], digits[3:])
    for file, array in zip(mnist_sp.FILES, arrays, strict=True):
        header = struct.pack(f">2xBB{array.ndim}I", 8, array.ndim, *array.shape)
        (folder / file.relative).write_bytes(header + array.tobytes())


def entries(file, offset):
    return np.frombuffer(gzip.decompress(find(f"{file.relative}.gz").read_bytes()), np.uint8, offset=offset)


def quiet(stage, done, total):
    """Say nothing."""


def pyg_content():
    """What PyG's file would hold of the same digits."""
    built = superpixels.build(IMAGES, quiet)
    graphs = [
        {
            "x": torch.from_numpy(values).float()[:, None],
            "edge_index": torch.from_numpy(np.stack(superpixels.neighbours(centres).nonzero())),
            "pos": torch.from_numpy(centres).float(),
            "y": torch.tensor([int(digit)]),
        }
        for centres, values, digit in zip(built.centres, built.values, DIGITS, strict=True)
    ]
    return graphs[:3], graphs[3:]


def write_pyg(folder, content):
    path = folder / mnist_sp.PYG_FILE.relative
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(content, path)
    return path


def same(one, two):
    return one.keys() == two.keys() and all(torch.equal(one[key], two[key]) for key in one.keys())  # noqa: SIM118


@REAL
def test_graphs_have_the_counted_edges(dataset):
    assert len(dataset) == 300
    assert {graph.num_nodes for graph in dataset} == {75}
    assert np.mean([graph.num_edges for graph in dataset]) == pytest.approx(1412.21, abs=0.01)
    levels = torch.stack([graph.x[:, :3].mean(dim=0) for graph in dataset]).mean(dim=0)
    assert levels.tolist() == pytest.approx([0.64, 0.23, 0.13], abs=0.01)


@REAL
def test_edges_go_both_ways_and_each_node_has_a_loop(dataset):
    for graph in dataset:
        edges = list(zip(*graph.edge_index.tolist(), strict=True))
        assert edges == sorted(set(edges))
        assert set(edges) == {(v, u) for u, v in edges}
        assert graph.edge_index[:, graph.edge_index[0] == graph.edge_index[1]][0].tolist() == list(range(75))


@REAL
def test_labels_are_those_of_the_file(dataset):
    digits = entries(mnist_sp.FILES[1], 8)
    assert dataset.labels.tolist() == digits[:300].tolist()
    assert [int(graph.y) for graph in dataset[:20]] == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4, 3, 5, 3, 6, 1, 7, 2, 8, 6, 9]


@REAL
def test_features_are_the_grey_level_and_the_cell(dataset):
    images = entries(mnist_sp.FILES[0], 16).reshape(-1, 28, 28)
    built = superpixels.build(images[:20], quiet)
    for graph, centres, values in zip(dataset[:20], built.centres, built.values, strict=True):
        for row, (x, y), value in zip(graph.x.tolist(), centres.tolist(), values.tolist(), strict=True):
            level = 0 if value == 0 else 1 if value <= 0.5 else 2
            cell = int(y // 2) * 14 + int(x // 2)
            assert [column for column, entry in enumerate(row) if entry] == [level, 3 + cell]
        upright = centres * [1, -1] + [0, 27]
        assert np.abs(graph.pos.numpy() - upright).max() <= 1 / 4096


@REAL
def test_a_bright_cell_is_where_the_image_is_bright(dataset):
    """Rows run downwards, ``pos`` upwards: each bright node lies on the digit."""
    images = entries(mnist_sp.FILES[0], 16).reshape(-1, 28, 28)
    for graph, image in zip(dataset, images, strict=False):
        for x, y in graph.pos[graph.x[:, 2] == 1].round().int().tolist():
            row = 27 - y
            assert image[max(row - 1, 0) : row + 2, max(x - 1, 0) : x + 2].max() > 127
        cells = {dataset.feature_names[column] for column in graph.x[graph.x[:, 2] == 1].nonzero()[:, 1] if column > 2}
        rows, columns = zip(*(map(int, re.findall(r"\d+", cell)) for cell in cells), strict=True)
        inked = np.argwhere(image) // 2
        for places, ink in zip((rows, columns), inked.T, strict=True):
            assert ink.min() <= min(places) <= max(places) <= ink.max()


@REAL
def test_types_and_shapes(dataset):
    for graph in dataset[:20]:
        assert (graph.x.shape, graph.x.dtype) == ((75, 199), torch.float32)
        assert (graph.pos.shape, graph.pos.dtype) == ((75, 2), torch.float32)
        assert (graph.y.shape, graph.y.dtype) == ((1,), torch.long)
        assert graph.edge_index.dtype == torch.long
        assert graph.edge_index.is_contiguous()
        assert len(pickle.dumps(graph)) < 120_000
        graph.validate()
    for graph, again in zip(dataset[:8], Batch.from_data_list(list(dataset[:8])).to_data_list(), strict=True):
        assert same(graph, again)


@REAL
def test_facts(dataset):
    assert dataset.name == "mnist-sp"
    assert dataset.class_names == ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")
    assert dataset.feature_names[:4] == ("black", "dark", "bright", "row 0, column 0")
    assert dataset.feature_names[-1] == "row 13, column 13"
    assert len(dataset.feature_names) == 199
    assert all(re.fullmatch("#[0-9A-F]{6}", color) for color in dataset.colors[:3])
    assert set(dataset.colors[3:]) == {""}  # a node looks like its grey level
    palette = palette_of(dataset[:9], dataset.feature_names, dataset.colors)
    assert [category.label for category in palette.categories] == ["black", "dark", "bright"]
    assert dataset.ground_truths == {}
    assert dataset.hidden == (32, 32, 32)
    assert dataset.paper_split == "published"
    assert "built here" in dataset.source
    assert {part: len(index) for part, index in dataset.splits.items()} == {"train": 300, "test": 0}


def test_small_files(root):
    dataset = datasets.load("mnist-sp", root)
    assert isinstance(dataset.graphs, LazyGraphs)
    assert dataset.labels.tolist() == DIGITS.tolist()
    assert {part: index.tolist() for part, index in dataset.splits.items()} == {"train": [0, 1, 2], "test": [3, 4]}
    test = dataset[dataset.splits["test"]]
    assert [int(graph.y) for graph in test] == [1, 1]
    centres, _ = superpixels.superpixel_graph(IMAGES[4])
    assert np.array_equal(test[1].edge_index.numpy(), np.stack(superpixels.neighbours(centres).nonzero()))


def test_second_load_reads_the_cache_alone(root, monkeypatch):
    first = datasets.load("mnist-sp", root)
    monkeypatch.setattr(superpixels, "build", None)
    monkeypatch.setattr("protograph.datasets.spec.DataFiles.read", None)
    assert all(same(one, two) for one, two in zip(first, datasets.load("mnist-sp", root), strict=True))


def test_fewer_graphs_are_the_first(root):
    fewer = datasets.load("mnist-sp", root, num_graphs=2)
    assert fewer.labels.tolist() == [3, 0]
    assert {part: index.tolist() for part, index in fewer.splits.items()} == {"train": [0, 1], "test": []}
    write_idx(root / "all")
    assert all(same(one, two) for one, two in zip(fewer, datasets.load("mnist-sp", root / "all"), strict=False))
    with pytest.raises(ValueError, match=r"^num_graphs must be in \[1, 5\], got 6$"):
        datasets.load("mnist-sp", root, num_graphs=6)


def test_progress_is_reported(root):
    reports = []
    datasets.load("mnist-sp", root, progress=lambda *args: reports.append(args))
    assert reports[-1] == ("building mnist-sp", 5, 5)


def test_a_file_is_missing(root):
    (root / mnist_sp.FILES[1].relative).unlink()
    with pytest.raises(FileNotFoundError, match=r"^mnist/train-labels-idx1-ubyte was looked for in"):
        datasets.load("mnist-sp", root)


def test_checksum_is_checked(monkeypatch, few, tmp_path):
    first, *others = mnist_sp.FILES
    monkeypatch.setattr(mnist_sp, "FILES", (replace(first, sha256="0" * 64), *others))
    write_idx(tmp_path / "data")
    with pytest.raises(ValueError, match="SHA-256"):
        datasets.load("mnist-sp", tmp_path / "data")


def test_pyg_file_goes_first_and_gives_the_same_graphs(root):
    built = datasets.load("mnist-sp", root)
    write_pyg(root, pyg_content())
    read = datasets.load("mnist-sp", root)
    assert "PyG's MNISTSuperpixels" in read.source
    assert all(same(one, two) for one, two in zip(built, read, strict=True))
    assert datasets.load("mnist-sp", root, num_graphs=4).labels.tolist() == [3, 0, 9, 1]


def test_pyg_file_of_the_older_kind(root):
    path = write_pyg(root, ())
    torch.save(pyg_content(), path, _use_new_zipfile_serialization=False)
    assert datasets.load("mnist-sp", root).labels.tolist() == DIGITS.tolist()


def test_pyg_edges_are_kept_as_they_are(root):
    content = pyg_content()
    content[0][0]["edge_index"] = torch.tensor([[4, 0, 74], [2, 1, 74]])
    write_pyg(root, content)
    assert datasets.load("mnist-sp", root)[0].edge_index.tolist() == [[0, 4, 74], [1, 2, 74]]


def test_a_changed_pyg_file_is_read_again(root):
    content = pyg_content()
    path = write_pyg(root, content)
    before = path.stat()
    assert datasets.load("mnist-sp", root).labels.tolist() == DIGITS.tolist()
    content[0][0]["y"] = torch.tensor([7])
    write_pyg(root, content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    changed = datasets.load("mnist-sp", root)
    assert int(changed[0].y) == 7
    assert changed.graphs.content[0]["labels"].tolist() == [7, *DIGITS.tolist()[1:]]  # stands for the graphs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda train, test: train.pop(), "it must have 3 and 2 graphs"),
        (lambda train, test: [graph.update(x=torch.zeros(74, 1)) for graph in train + test], SHAPES),
        (lambda train, test: [graph.update(pos=torch.zeros(75, 3)) for graph in train + test], SHAPES),
        (
            lambda train, test: test[0].update(x=torch.zeros(74, 1)),
            "stack expects each tensor to be equal size, but got [75, 1] at entry 0 and [74, 1] at entry 3",
        ),
        (lambda train, test: test[0].update(x=torch.full((75, 1), 255.0)), "x must lie in [0, 1] and pos in [0, 28)"),
        (lambda train, test: test[0].update(pos=torch.full((75, 2), 28.0)), "x must lie in [0, 1] and pos in [0, 28)"),
        (lambda train, test: test[0].update(y=torch.tensor([10])), "y must be in [0, 10), got 10"),
        (lambda train, test: test[0]["edge_index"].fill_(75), "edge_index must be in [0, 75), got 75"),
        (lambda train, test: test[0].pop("pos"), "'pos'"),
    ],
)  # fmt: skip
def test_pyg_file_with_other_content(root, change, message):
    content = pyg_content()
    change(*content)
    path = write_pyg(root, content)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path} does not hold MNISTSuperpixels: {message}')}$"):
        datasets.load("mnist-sp", root)


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x80\x02cos\nsystem\n."])
def test_pyg_file_that_is_damaged_or_would_run_code(root, content):
    path = write_pyg(root, ())
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))} cannot be read"):
        datasets.load("mnist-sp", root)


def test_no_folder_named_reads_pygs_download(few, cache, monkeypatch, tmp_path):
    monkeypatch.delenv("PROTOGRAPH_DATA", raising=False)
    raw = write_pyg(tmp_path, pyg_content())
    path = cache / "downloads" / mnist_sp.PYG_ZIP.relative
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(raw, "MNISTSuperpixels.pt")
    dataset = datasets.load("mnist-sp")
    assert dataset.labels.tolist() == DIGITS.tolist()
    assert dataset.source == mnist_sp.PYG_SOURCE


def test_no_folder_named_and_no_download_builds_from_mnist(few, cache, monkeypatch):
    monkeypatch.delenv("PROTOGRAPH_DATA", raising=False)
    monkeypatch.setattr(mnist_sp, "PYG_ZIP", replace(mnist_sp.PYG_ZIP, url="http://localhost:9/none.zip"))
    write_idx(cache / "downloads")
    dataset = datasets.load("mnist-sp")
    assert dataset.labels.tolist() == DIGITS.tolist()
    assert dataset.source == mnist_sp.BUILT_SOURCE


def test_root_is_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="which is not a folder"):
        datasets.load("mnist-sp", tmp_path / "none")
