"""The names of functional groups and rings that a pattern has in every molecule, as the end of what is said of it."""

from collections import Counter
from collections.abc import Sequence

from protograph._base.words import clean_name, counted, listed, with_article
from protograph.molecules.functional_groups import NamedPart


def everywhere(parts: Sequence[NamedPart], said: str = "") -> str:
    """What the pattern is in every molecule that it was counted in; nothing where no name holds in all of them.

    Args:
        parts: The parts that have a name.
        said: What was said before: what is named there is not named again.

    >>> ester, rings = NamedPart("ester group", (0, 1, 2)), [NamedPart("benzene ring", (n, n + 1)) for n in (3, 5)]
    >>> everywhere([ester, *rings])
    ' (in every molecule: an ester group and two benzene rings)'
    >>> everywhere([ester], "an ester group"), everywhere([])
    ('', '')
    """
    tally = Counter(clean_name(part.name) for part in parts if part.name not in said)
    names = [with_article(name) if number == 1 else counted(number, name) for name, number in tally.items()]
    return f" (in every molecule: {listed(names)})" if names else ""
