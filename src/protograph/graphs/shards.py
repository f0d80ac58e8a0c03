"""Folders of shards: graphs in files, as this library writes them or as ``torch.save`` does, read one at a time."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from os import PathLike
from pathlib import Path
from typing import Any, overload

import numpy as np
from torch_geometric.data import Data
from torch_geometric.data.separate import separate

from protograph._base.arrays import Ints
from protograph._base.options import check_count
from protograph._base.plain_torch import load_plain
from protograph._base.tensor_files import read_texts
from protograph.graphs.collated import FORMAT, CollatedGraphs, UnusualGraphError, collated
from protograph.graphs.containers import single_graphs
from protograph.graphs.joining import GraphChunk, JoinedGraphs, end_to_end
from protograph.graphs.origins import Origins
from protograph.graphs.reading import SAFE_CLASSES, Shards, natural, read_graphs

# Ending of the files that this library writes.
SUFFIX = ".graphs"
# Graphs of a file: some hundred kilobytes, read in a millisecond or two.
SHARD_GRAPHS = 1024
# Shards whose graphs stay in memory, for those who ask for graphs near each other; and bytes of a folder's files up to
# which more of them do, but no more than so many, for those who look here and there before they read all.
_KEPT, _BYTES_KEPT, _MOST_KEPT = 8, 2**24, 256


def write_shards(
    graphs: Iterable[Data],
    folder: str | PathLike[str],
    *,
    size: int = SHARD_GRAPHS,
    keys: Sequence[str] | None = None,
) -> int:
    """Write graphs to a folder that ``fit`` and the command line read, and return how many there were.

    Each file, ``shard-000000.graphs`` and so on, holds tensors laid end to end, numbers and texts: reading one runs no
    code. A file is there whole or not at all. The graphs are gone through once, ``size`` of them in memory at a time.

    Args:
        graphs: Any iterable of ``Data``, or of batches of them.
        folder: Where to; it is made, and must hold no such files yet.
        size: Graphs of a file.
        keys: Which attributes to write; those that a graph has not are left out. All where ``None``.

    Raises:
        FileExistsError: If the folder has files of graphs already.
        ValueError: If a graph has attributes that are no tensors, numbers or texts, or others than those before it in
            its file.

    >>> import tempfile, torch
    >>> graph = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]), y=1)
    >>> folder = tempfile.mkdtemp()
    >>> write_shards([graph] * 5, folder, size=2), len(ShardFolder(folder))
    (5, 5)
    """
    check_count("size", size)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.glob(f"*{SUFFIX}")):
        raise FileExistsError(f"{folder} has {SUFFIX} files already; write to an empty folder, or remove them")
    remaining, number, done = single_graphs(graphs), 0, 0
    while shard := list(islice(remaining, size)):
        try:
            collated(shard if keys is None else [_with_only(graph, keys) for graph in shard]).save(
                shard_path(folder, number)
            )
        except UnusualGraphError as error:
            raise ValueError(
                f"graphs {done} to {done + len(shard) - 1} cannot be written as a shard: {error}"
            ) from None
        number, done = number + 1, done + len(shard)
    if not done:
        raise ValueError("graphs is empty; pass at least one graph")
    return done


def _with_only(graph: Data, keys: Sequence[str]) -> Data:
    return Data.from_dict({key: value for key, value in graph.to_dict().items() if key in keys})


def shard_path(folder: Path, number: int) -> Path:
    """File of a shard."""
    return folder / f"shard-{number:06}{SUFFIX}"


class CollatedShards(Shards):
    """Graphs in shards that are laid end to end, or where they cannot be, in lists.

    Args:
        starts: Number of the first graph of each shard, and at the end the number of all graphs.
        num_kept: How many shards stay in memory.
    """

    def __init__(self, starts: list[int], num_kept: int = _KEPT) -> None:
        super().__init__(starts)
        self._num_kept = num_kept
        self._recent: dict[int, CollatedGraphs | list[Data]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_recent": {}}  # other processes read what they need

    @abstractmethod
    def _read(self, number: int) -> CollatedGraphs | list[Data]:
        """A shard, read anew."""

    def shard(self, number: int) -> CollatedGraphs | list[Data]:
        """A shard; those asked for last stay in memory."""
        found = self._recent.pop(number, None)
        self._recent[number] = found = self._read(number) if found is None else found
        if len(self._recent) > self._num_kept:
            del self._recent[next(iter(self._recent))]
        return found

    def _at(self, position: int) -> Data:
        number = self._number_of(position)
        shard, place = self.shard(number), position - self._starts[number]
        return shard.graph(place) if isinstance(shard, CollatedGraphs) else shard[place]

    def chunk(self, first: int, last: int) -> Sequence[Data]:
        """Graphs from ``first`` up to ``last``, laid end to end where their shards are so and alike."""
        parts, labels = list[JoinedGraphs](), list[Ints | None]()
        for number in range(self._number_of(first), self._number_of(last - 1) + 1):
            begin, shard = self._starts[number], self.shard(number)
            low, high = max(first - begin, 0), min(last - begin, len(shard))
            together = shard.together(low, high) if isinstance(shard, CollatedGraphs) else None
            if not isinstance(shard, CollatedGraphs) or together is None:
                break
            parts.append(together)
            labels.append(shard.labels(low, high))
        else:
            if (whole := end_to_end(parts)) is not None:
                known = [own for own in labels if own is not None]
                of_all = np.concatenate(known) if len(known) == len(labels) else None
                return GraphChunk(GraphRange(self, first, last), whole, of_all)
        return [self._at(index) for index in range(first, last)]


class GraphRange(Sequence[Data]):
    """Neighbouring graphs of a sequence, each made when it is looked at.

    Args:
        graphs: The sequence.
        first: The first graph.
        last: The one after the last.
    """

    def __init__(self, graphs: Sequence[Data], first: int, last: int) -> None:
        self._graphs, self._places = graphs, range(first, last)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Data: ...
    @overload
    def __getitem__(self, index: slice) -> "GraphRange": ...
    def __getitem__(self, index: int | slice) -> "Data | GraphRange":
        if isinstance(index, slice):
            places = self._places[index]
            return GraphRange(self._graphs, places.start, places.stop)
        return self._graphs[self._places[index]]


class ShardFolder(CollatedShards):
    """All graphs of the files that :func:`write_shards` wrote to a folder, in their order.

    Only the headers are read when it is made; a file is read when its graphs are asked for.

    Args:
        folder: The folder; other files in it are left alone.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        folder = Path(folder)
        if not folder.is_dir():
            raise FileNotFoundError(f"there is no folder {folder}")
        self.paths = sorted(folder.glob(f"*{SUFFIX}"), key=natural)
        if not self.paths:
            raise FileNotFoundError(f"{folder} has no {SUFFIX} file; wanted what protograph.write_shards writes")
        starts = list(accumulate(map(_size_of, self.paths), initial=0))
        num_small = _BYTES_KEPT // max(path.stat().st_size for path in self.paths)
        super().__init__(starts, min(max(_KEPT, num_small), _MOST_KEPT))

    def __getstate__(self) -> dict[str, Any]:
        # Another process may be in another folder.
        return {**super().__getstate__(), "paths": [path.absolute() for path in self.paths]}

    @property
    def origins(self) -> Origins:
        """File and place of each graph."""
        files = [path.name for path in self.paths]
        return Origins(positions=np.arange(len(self)), files=files, starts=self._starts[:-1])

    def files_of(self, first: int, last: int) -> str:
        """Names of the files that have the graphs from ``first`` up to ``last``."""
        low, high = self.paths[self._number_of(first)].name, self.paths[self._number_of(last - 1)].name
        return low if low == high else f"{low} to {high}"

    def _read(self, number: int) -> CollatedGraphs:
        shard = CollatedGraphs.load(self.paths[number])
        if len(shard) != self._starts[number + 1] - self._starts[number]:
            raise ValueError(f"{self.paths[number]} has changed since it was opened")
        return shard


def _size_of(path: Path) -> int:
    texts = read_texts(path)
    if texts.get("format") != FORMAT or not texts.get("size", "").isdigit():
        raise ValueError(f"{path} holds no graphs of this version; write them again by protograph.write_shards")
    return int(texts["size"])


class TorchShards:
    """The graphs of the ``.pt`` files in a folder, read once from the first file to the last.

    A file holds a list of graphs, or what a PyG ``InMemoryDataset`` saves: one graph of all, and where each begins.

    Args:
        folder: The folder; other files in it are left alone.

    Attributes:
        starts: Place of the first graph of each file that has been read so far.
    """

    def __init__(self, folder: Path) -> None:
        self.paths = sorted(folder.glob("*.pt"), key=natural)
        self.starts: list[int] = []

    @property
    def files(self) -> list[str]:
        """Names of the files."""
        return [path.name for path in self.paths]

    def __iter__(self) -> Iterator[Data]:
        self.starts.clear()
        done = 0
        for path in self.paths:
            self.starts.append(done)
            graphs = read_torch_shard(path)
            done += len(graphs)
            yield from graphs


def read_torch_shard(path: Path) -> list[Data]:
    """The graphs of a ``.pt`` file: a list of them, or what a PyG ``InMemoryDataset`` saves.

    Raises:
        ValueError: If it holds something else; the message names it.
    """
    wanted = "graphs: wanted a list of torch_geometric Data, or (data, slices), written by torch.save"
    content = load_plain(path, wanted, SAFE_CLASSES)
    if not isinstance(content, tuple) or len(content) not in (2, 3) or not isinstance(content[1], dict):
        return read_graphs(path)
    whole, slices = content[:2]
    whole = Data.from_dict(whole) if isinstance(whole, dict) else whole
    try:
        count = len(next(iter(slices.values()))) - 1
        return [separate(Data, whole, index, slices, decrement=False) for index in range(count)]
    except Exception as error:  # what PyG makes of other content is open
        raise ValueError(f"{path} cannot be read as {wanted}; {type(error).__name__}: {error}") from None


def opened_folder(folder: Path) -> ShardFolder | TorchShards:
    """The graphs of a folder of shards.

    Raises:
        ValueError: If there is no such folder, or no shard in it.
    """
    if not folder.is_dir():
        way = "pass protograph.datasets.read_graphs(path) for a file of graphs, or the graphs themselves"
        raise ValueError(f"graphs must be a folder of shards, got {folder}, which is none; {way}")
    if any(folder.glob(f"*{SUFFIX}")):
        return ShardFolder(folder)
    if any(folder.glob("*.pt")):
        return TorchShards(folder)
    raise ValueError(
        f"graphs must be a folder of shards, got {folder}, which has none; wanted {SUFFIX} files of "
        f"protograph.write_shards, or .pt files of torch.save"
    )
