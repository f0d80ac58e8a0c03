"""What arrays are called."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Kinds = NDArray[np.int32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
