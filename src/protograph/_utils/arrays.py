"""What arrays are called."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Kinds = NDArray[np.int32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
# By their names, as a file of them has.
Arrays = dict[str, NDArray[Any]]
