from dataclasses import FrozenInstanceError, asdict, fields
from types import MappingProxyType

import pytest

from protograph.page.options import (
    ClusterOptions,
    ConsensusOptions,
    EvidenceOptions,
    SearchOptions,
    WalkOptions,
    as_options,
)

KINDS = (ClusterOptions, ConsensusOptions, WalkOptions, EvidenceOptions)
every = pytest.mark.parametrize(("kind", "name"), [(kind, field.name) for kind in KINDS for field in fields(kind)])


def default_of(kind, name):
    return getattr(kind(), name)


def message_of(error, kind, name, value):
    with pytest.raises(error) as caught:
        kind(**{name: value})
    return str(caught.value)


@every
def test_every_option_is_a_number(kind, name):
    assert message_of(TypeError, kind, name, "3") == f"{name} must be a number, got '3'"
    assert message_of(TypeError, kind, name, None) == f"{name} must be a number, got None"
    assert message_of(TypeError, kind, name, True) == f"{name} must be a number, got True"


@every
def test_every_option_is_at_least_zero(kind, name):
    assert message_of(ValueError, kind, name, -1) == f"{name} must be a finite number of at least 0, got -1"
    for value in (float("inf"), float("nan")):
        assert message_of(ValueError, kind, name, value) == f"{name} must be a finite number of at least 0, got {value}"


@every
def test_what_counts_is_whole(kind, name):
    if isinstance(default_of(kind, name), int):
        assert message_of(ValueError, kind, name, 1.5) == f"{name} must be a whole number, got 1.5"
    else:
        assert getattr(kind(**{name: 1.5}), name) == 1.5
    assert getattr(kind(**{name: 2}), name) == 2


@pytest.mark.parametrize("kind", [*KINDS, SearchOptions])
def test_options_are_frozen_named_and_comparable(kind):
    options = kind()
    assert options == kind()
    assert kind(**{field.name: getattr(options, field.name) for field in fields(kind)}) == options
    with pytest.raises(FrozenInstanceError):
        setattr(options, fields(kind)[0].name, 1)
    with pytest.raises(TypeError, match="positional"):
        kind(1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'max_node'"):
        kind(max_node=1)


def test_no_name_means_two_things():
    names = [field.name for kind in KINDS for field in fields(kind)]
    assert len(names) == len(set(names))


def test_a_prototype_is_as_large_as_the_data_say_by_default():
    assert SearchOptions().max_nodes is None
    assert (SearchOptions().walk, SearchOptions().consensus) == (WalkOptions(), ConsensusOptions())


@pytest.mark.parametrize("kind", KINDS)
def test_options_come_as_themselves_or_as_a_mapping(kind):
    name = fields(kind)[0].name
    other = kind(**{name: 7})
    assert as_options("these", other, kind) is other
    assert as_options("these", asdict(other), kind) == other
    assert as_options("these", MappingProxyType({name: 7}), kind) == other
    assert as_options("these", {}, kind) == kind()


@pytest.mark.parametrize("value", [None, 3, "looked_at", [("looked_at", 3)], WalkOptions()], ids=repr)
def test_anything_else_is_told(value):
    with pytest.raises(TypeError) as caught:
        as_options("evidence_options", value, EvidenceOptions)
    assert str(caught.value) == f"evidence_options must be EvidenceOptions or a mapping of its options, got {value!r}"


def test_a_mapping_is_checked_too():
    with pytest.raises(ValueError, match=r"^looked_at must be a finite number of at least 0, got -1$"):
        as_options("evidence_options", {"looked_at": -1}, EvidenceOptions)
    with pytest.raises(TypeError, match="unexpected keyword argument 'looked'"):
        as_options("evidence_options", {"looked": 1}, EvidenceOptions)
