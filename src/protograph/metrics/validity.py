"""Validity: which prototypes of molecules are chemically possible fragments."""

from collections.abc import Iterable

from protograph.explanation import Explanation, Prototype
from protograph.molecules.read import import_chem


def validity(prototypes: Explanation | Iterable[Prototype]) -> float:
    r"""Share of prototypes that RDKit sanitises: valences, aromatic rings and charges are possible.

    .. math:: \frac{|\{p : \mathrm{SanitizeMol}(p) \text{ succeeds}\}|}{|P|}

    In [0, 1], and higher is better. Open valences of a fragment are filled with hydrogens; half an aromatic ring
    is not valid.

    Args:
        prototypes: An explanation of molecules, or prototypes of it.

    Raises:
        ValueError: If there are none, or the data set's ``feature_names`` are not symbols of atoms.
        ImportError: If RDKit is not installed.
    """
    chosen = list(prototypes.prototypes if isinstance(prototypes, Explanation) else prototypes)
    if not chosen:
        raise ValueError("prototypes is empty; pass at least one")
    return sum(map(_is_valid, chosen)) / len(chosen)


def _is_valid(prototype: Prototype) -> bool:
    chem = import_chem("validity of molecules")
    # What cannot be sanitised is given back as it is, so it is tried again.
    molecule = chem.Mol(prototype.to_rdkit())
    with chem.rdBase.BlockLogs():
        return bool(chem.SanitizeMol(molecule, catchErrors=True) == chem.SanitizeFlags.SANITIZE_NONE)
