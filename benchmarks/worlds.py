"""What each planted world holds, and how far plain numbers tell its classes.

python -m benchmarks.worlds
"""

import numpy as np

from protograph.reproduce.worlds.catalogue import WORLDS


def main() -> None:
    for one in WORLDS.values():
        print(one.summary(np.random.default_rng(10)), flush=True)


if __name__ == "__main__":
    main()
