"""What each planted world holds, and how far plain numbers tell its classes.

python -m research.worlds
"""

import numpy as np

from research.paper.worlds.catalogue import WORLDS


def main() -> None:
    for one in WORLDS.values():
        print(one.summary(np.random.default_rng(10)), flush=True)


if __name__ == "__main__":
    main()
