"""Molecules as an SDF file: drawn flat, each with a name and properties."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from io import StringIO
from typing import Any, NamedTuple

from protograph._base.words import one_line
from protograph.molecules.reading import import_chem

PURPOSE = "writing an SDF file"
# What ends a molecule in such a file, and what begins a property.
MARKS = ("$$$$", ">")


class MoleculeRecord(NamedTuple):
    """RDKit's molecule, its name, and its properties by name."""

    molecule: Any
    name: str
    properties: Mapping[str, Any]


def sdf_text(records: Sequence[MoleculeRecord]) -> str:
    """The molecules as the text of an SDF file; empty where there are none.

    Fragments need not obey the rules of chemistry: aromatic bonds are written as such.

    Raises:
        ImportError: If RDKit is not installed.

    >>> text = sdf_text([MoleculeRecord(import_chem("").MolFromSmiles("CO"), "methanol", {"p": 0.5})])
    >>> text.splitlines()[0], text.splitlines()[-4:]
    ('methanol', ['>  <p>  (1) ', '0.5', '', '$$$$'])
    """
    if not records:
        return ""
    chem = import_chem(PURPOSE)
    depictor = import_module("rdkit.Chem.rdDepictor")
    text = StringIO()
    with chem.rdBase.BlockLogs():
        writer = chem.SDWriter(text)
        writer.SetKekulize(False)
        for record in records:
            molecule = chem.Mol(record.molecule)
            # A fragment that was not sanitised knows neither its rings nor its hydrogens, which coordinates ask for.
            molecule.UpdatePropertyCache(strict=False)
            chem.FastFindRings(molecule)
            depictor.Compute2DCoords(molecule)
            molecule.SetProp("_Name", _line(record.name))
            for name, value in record.properties.items():
                molecule.SetProp(name, _line(value))
            writer.write(molecule)
        writer.close()
    return text.getvalue()


def _line(value: object) -> str:
    r"""A value on one line that neither ends the molecule nor begins a property.

    >>> _line("$$$$"), _line("a\n> <b>")
    (' $$$$', 'a > <b>')
    """
    text = one_line(value)
    return f" {text}" if text.startswith(MARKS) else text
