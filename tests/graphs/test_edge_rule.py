"""When edges agree."""

import pytest

from protograph.graphs.edge_rule import EdgeRule


def test_cuts_that_do_not_ascend_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^cuts\[1\] must be ascending, got \[2\.0, 2\.0\]$"):
        EdgeRule(is_matched=True, cuts=((), (2.0, 2.0)))
