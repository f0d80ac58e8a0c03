"""Numbers scattered over 64 bits, so that sums of them tell multisets apart."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def scattered(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Each number's place in a fixed shuffle of all 64-bit numbers (SplitMix64).

    >>> scattered(np.array([0, 0, 1])).tolist()
    [16294208416658607535, 16294208416658607535, 10451216379200822465]
    """
    mixed = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return result
