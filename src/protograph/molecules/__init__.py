"""Molecules as graphs, from SMILES and back, with RDKit, which is imported only where it is needed."""
