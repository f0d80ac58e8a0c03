"""The benchmark of fidelity: what it makes of rows, patterns and truths."""

import json
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn
from torch_geometric.data import Data

from benchmarks import certificate
from benchmarks.fidelity import Report
from benchmarks.fidelity_limits import by_kind, limits_of, stability, values_of
from benchmarks.fidelity_rows import balanced, key_of, truth_fidelity, truths_found
from protograph.reproduce.worlds.motifs import HOUSE, RING5, RING6, path
from protograph.reproduce.worlds.planting import pattern_graph

NO_EDGES = SimpleNamespace(is_matched=False)


def pattern(sketch, num_colours=3, **options):
    made = {"graph": pattern_graph(sketch, num_colours, 0), "kind": "part", "closed": (), "at_least": 1}
    return SimpleNamespace(**made | {"edge_rule": NO_EDGES} | options)


def test_a_key_does_not_depend_on_the_numbers_of_nodes():
    assert key_of(pattern(path(0, 1, 2))) == key_of(pattern(path(2, 1, 0)))
    assert key_of(pattern(path(0, 1, 2), closed=(0,))) == key_of(pattern(path(2, 1, 0), closed=(2,)))


def test_other_patterns_have_other_keys():
    made = [pattern(one) for one in (path(0, 1, 2), path(1, 0, 2), path(length=3), HOUSE, RING5, RING6)]
    made += [pattern(RING5, kind="induced"), pattern(RING5, at_least=2), pattern(path(0, 1, 2), closed=(0,))]
    assert len({key_of(one) for one in made}) == len(made)


def test_shares_of_classes_weigh_the_same():
    assert balanced(np.array([True, False, True]), np.array([0, 0, 1])) == 0.75


def test_stability_is_the_share_that_comes_out_again():
    rows = [{"patterns": patterns} for patterns in (["a", "b"], ["a"], ["a", "c"])]
    assert stability(rows) == (1 / 2 + 1 / 2 + 1 + 1 + 1 / 2 + 1 / 2) / 6
    assert stability(rows[:2]) is None


class HasEdges(nn.Module):
    """Class 1 for graphs with more than one edge."""

    def forward(self, x, edge_index, batch):
        number = torch.bincount(batch[edge_index[0]], minlength=int(batch.max()) + 1)
        return torch.stack([torch.full(number.shape, 2.5), number.float()], dim=1)


def test_a_class_without_a_truth_is_that_of_graphs_without_any():
    graphs = [Data(x=one.x, edge_index=one.edge_index) for one in (pattern_graph(path(*c), 2, 0) for c in COLOURS)]
    truths = {1: [pattern_graph(path(0, 0), 2, 0)]}
    # Of class 0 two in three have no pair of zeros; of class 1 one in two has one.
    assert truth_fidelity(truths, graphs, HasEdges()) == (2 / 3 + 1 / 2) / 2


COLOURS = [(0, 1), (1, 1), (0, 0), (0, 0, 1), (0, 1, 0)]


def real_row(seed, fidelity=0.9, **more):
    return {"seed": seed, "fidelity": fidelity, "test_accuracy": 0.85} | more


def test_limits_of_parts_that_are_there():
    content = {
        "real": {"bbbp gcn": [real_row(0, 0.9), real_row(1, 0.8)], "bbbp gin": [real_row(0, 0.81)]},
        "truths": {"solubility": [real_row(0, 0.7, truth=0.72)], "ba-house": [real_row(0, 0.99, truth=1.0)]},
        "worlds": {},
    }
    assert [(one["what"], round(one["limit"], 4), one["holds"]) for one in limits_of(content)] == [
        ("bbbp gcn: mean fidelity", 0.87, False),
        ("bbbp gcn: least test accuracy", 0.81, True),
        ("bbbp gin: mean fidelity", 0.8075, True),
        ("solubility: mean fidelity", 0.71, False),
        ("ba-house: mean fidelity", 0.98, True),
    ]


def test_worlds_are_put_together_by_kind():
    def row(kind, found, fidelity):
        return {"seed": 0, "kind": kind, "found": found, "accuracy": 1.0, "fidelity": fidelity, "num_dropped": 0}

    none = {"seed": 1, "kind": "lack", "num_dropped": 4, "fidelity": None}
    worlds = {"a": [row("lack", [True, False], 0.8)], "b": [row("lack", [True, True], 1.0), none]}
    assert values_of(by_kind(worlds)["lack"], "found") == [0.5, 1.0]
    limits = {one["what"]: one["value"] for one in limits_of({"real": {}, "truths": {}, "worlds": worlds})}
    assert limits["worlds: mean found"] == limits["worlds: found of the lowest kind"] == 0.75
    assert limits["worlds: mean fidelity"] == 0.9


def test_parts_are_merged_and_nothing_is_measured_twice(tmp_path):
    first, second = Report(tmp_path / "first.json"), Report(tmp_path / "second.json")
    first.add("real", "bbbp gcn", [real_row(1)])
    second.add("real", "bbbp gcn", [real_row(0, 0.7), real_row(1, 0.1)])
    whole = Report(tmp_path / "whole.json")
    whole.merge([tmp_path / "first.json", tmp_path / "second.json"])
    assert [(row["seed"], row["fidelity"]) for row in Report(whole.path).content["real"]["bbbp gcn"]] == [
        *((0, 0.7), (1, 0.9))
    ]
    assert Report(whole.path).has("real", "bbbp gcn", 0)
    assert not Report(whole.path).has("real", "bbbp gcn", 2)
    kept = json.loads(whole.path.read_text())["certificate"]
    assert kept["seeds"] == [0, 1]
    assert kept["limits"] == limits_of(certificate.read(whole.path))


def test_truths_among_the_reasons():
    def explanation(*patterns, lacks=()):
        return SimpleNamespace(reasons=[SimpleNamespace(has=patterns, lacks=lacks)])

    house, line = pattern_graph(HOUSE, 1, 0), pattern_graph(path(0, 1, 2), 3, 0)
    by_shape = pattern(HOUSE)
    by_shape.graph.x = None
    truths = {0: [house], 1: [line, pattern_graph(path(1, 0, 2), 3, 0)]}
    found = {0: explanation(by_shape), 1: explanation(lacks=(pattern(path(2, 1, 0)),))}
    assert truths_found(truths, found) == [True, True, False]
    assert truths_found(truths, {0: explanation(pattern(RING5))}) == [False, False, False]
