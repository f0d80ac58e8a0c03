"""Prototypes in plain words: what each one is, and how strong the evidence for it is."""

from protograph.explanation.describing.sentences import describe, name_of

__all__ = ["describe", "name_of"]
