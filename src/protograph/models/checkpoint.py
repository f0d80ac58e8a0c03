"""What a model made of the graphs so far, kept in a folder: a run that was killed goes on after the last shard there.

A shard is some thousand graphs. Its file has the model's outputs and embeddings for them, their labels, and a digest of
the graphs themselves. Each is written whole or not at all. When a run goes on, graphs are read and checked as ever, but
the model is not asked again; graphs that are not those of the digest are refused.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph._base.files import atomic_path
from protograph._base.tensor_files import read_tensors, write_tensors
from protograph.graphs.fingerprint import content_hash, fingerprint
from protograph.graphs.joining import JoinedGraphs, joined
from protograph.models.batching import are_joined
from protograph.models.labels import GivenLabels

FORMAT = "protograph checkpoint 3"
MANIFEST = "checkpoint.json"
# What a shard's file calls the precision of what it has.
_DOUBLE, _SINGLE = "double", "single"
# Graphs of a shard, about: a few seconds of work that a killed run has to do again.
GRAPHS_A_SHARD = 4096
# Graphs that are taken into a digest together: as many as a CPU reads at a time, so that a GPU that reads more finds
# the same digest.
_DIGESTED = 1024
# Attributes of a graph that are numbers without being tensors.
_NUMBERS = (bool, int, float)
# Where functions are in memory, which is elsewhere in each process.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class Checkpoint:
    """Results of the shards that are done.

    Args:
        folder: The folder, which is made if it is not there.
        made_by: What results depend on beside the graphs, by name: the model's weights, options.

    Raises:
        ValueError: If the folder was made by something else, or is no folder of ours.
    """

    def __init__(self, folder: str | PathLike[str], made_by: dict[str, Any]) -> None:
        self.folder = Path(folder)
        self._check(made_by)

    def _check(self, made_by: dict[str, Any]) -> None:
        manifest, wanted = self.folder / MANIFEST, {"format": FORMAT, **made_by}
        if not manifest.exists():
            if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
                raise ValueError(
                    f"checkpoint must be a new or empty folder, or one that a fit wrote, got {self.folder}"
                )
            self.folder.mkdir(parents=True, exist_ok=True)
            with atomic_path(manifest) as partial:
                partial.write_text(json.dumps(wanted, indent=1))
            return
        try:
            found = json.loads(manifest.read_text())
        except ValueError:
            found = None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError(f"checkpoint {self.folder} is damaged, or of another version; remove it to begin again")
        other = next((name for name in wanted if found.get(name) != wanted[name]), None)
        if other is not None:
            shown = "" if other == "model" else f" ({found.get(other)!r}, now {wanted[other]!r})"
            raise ValueError(
                f"checkpoint {self.folder} was made with another {other}{shown}; pass another folder, or remove it"
            )

    def shard(self, number: int) -> "Shard | None":
        """A shard that is done, ``None`` where it is not."""
        path = self._path(number)
        if not path.exists():
            return None
        tensors, texts = read_tensors(path)
        if (
            set(tensors) != {"outputs", "graph_embeddings", "labels", "has_label"}
            or not {"digest", "precision"} <= texts.keys()
        ):
            raise ValueError(f"{path} is no shard of a checkpoint; remove it to have it made again")
        return Shard(tensors, texts["digest"], is_double=texts["precision"] == _DOUBLE)

    def write(self, number: int, shard: "Shard") -> None:
        """Keep a shard."""
        texts = {"digest": shard.digest, "precision": _DOUBLE if shard.is_double else _SINGLE}
        write_tensors(self._path(number), shard.tensors, texts)

    def refuse(self, first: int, last: int) -> ValueError:
        """The error that says that graphs are not those of the checkpoint."""
        return ValueError(
            f"checkpoint {self.folder} was made with other graphs: graphs {first} to {last - 1} are not those it "
            f"knows; pass another folder, or remove it"
        )

    def refuse_model(self, first: int, last: int) -> ValueError:
        """The error that says that the model gives other numbers than the checkpoint has."""
        return ValueError(
            f"checkpoint {self.folder} was made with another model: that gave other numbers for graphs {first} to "
            f"{last - 1}; pass another folder, or remove it"
        )

    def _path(self, number: int) -> Path:
        return self.folder / f"done-{number:06}.tensors"


class Shard:
    """What the model made of neighbouring graphs.

    Args:
        tensors: ``outputs``, ``graph_embeddings``, ``labels`` and, where a graph has one, ``has_label``.
        digest: What tells the graphs from others.
        is_double: Whether all of it is known to be of double precision.
    """

    def __init__(self, tensors: dict[str, Tensor], digest: str, *, is_double: bool) -> None:
        self.tensors, self.digest, self.is_double = tensors, digest, is_double

    def __len__(self) -> int:
        return len(self.tensors["outputs"])

    @property
    def labels(self) -> GivenLabels:
        """The class that each graph was given."""
        return GivenLabels(self.tensors["labels"].numpy(), self.tensors["has_label"].numpy())


class GraphDigest:
    """Tells graphs from others by all that a model may read, whatever they came in.

    Args:
        attributes: The attributes that the model reads, ``None`` for all of them.
    """

    def __init__(self, attributes: frozenset[str] | None) -> None:
        self._digest = hashlib.blake2b(digest_size=16)
        self._are_joined = are_joined(attributes)

    def add(self, graphs: Sequence[Data], labels: GivenLabels) -> None:
        """Take in the next graphs."""
        for first in range(0, len(graphs), _DIGESTED):
            part = slice(first, first + _DIGESTED)
            self._digest.update(labels.labels[part].astype(np.int64).tobytes() + labels.has_label[part].tobytes())
            together = joined(graphs[part]) if self._are_joined else None
            if together is not None:
                self._add_joined(together)
            else:
                for graph in graphs[part]:
                    self._digest.update(fingerprint(graph) + _numbers(graph))

    def _add_joined(self, graphs: JoinedGraphs) -> None:
        self._digest.update(graphs.sizes.astype(np.int64).tobytes() + graphs.counts.astype(np.int64).tobytes())
        for key, tensor in sorted(graphs.tensors.items()):
            plain = tensor.detach().cpu().contiguous()
            if plain.is_floating_point():
                plain = plain + 0.0  # so that -0.0 has the bytes of 0.0
            self._digest.update(f"{key} {plain.dtype} {tuple(plain.shape)}".encode())
            self._digest.update(plain.reshape(-1).view(torch.uint8).numpy().data)

    def text(self) -> str:
        """The digest of all that was taken in."""
        return self._digest.hexdigest()


def model_fingerprint(model: nn.Module) -> str:
    """What tells a model from others: its class, its modules as they print, and its weights to the last bit.

    Plain attributes and code are not in it: :mod:`.same_model` sees what they do.
    """
    weights = {name: value for name, value in model.state_dict().items() if isinstance(value, Tensor)}
    kind = f"{type(model).__module__}.{type(model).__qualname__}"
    return content_hash(kind, _ADDRESS.sub("", repr(model)), weights)


def _numbers(graph: Data) -> bytes:
    """The attributes of a graph that are plain numbers; PyG joins them into tensors, too."""
    return repr(sorted((key, value) for key, value in graph.to_dict().items() if type(value) in _NUMBERS)).encode()
