"""RDKit, imported on first use: it is needed for molecules only."""

from importlib import import_module
from typing import Any


def import_chem(purpose: str) -> Any:
    """RDKit's module ``rdkit.Chem``.

    Args:
        purpose: What it is needed for, as the beginning of the message.

    Raises:
        ImportError: If RDKit is not installed.

    >>> import_chem("counting atoms").MolFromSmiles("CO").GetNumAtoms()
    2
    """
    try:
        return import_module("rdkit.Chem")
    except ImportError as error:
        raise ImportError(f"{purpose} needs RDKit; pip install 'protograph[molecules]'") from error
