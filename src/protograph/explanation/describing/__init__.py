"""Prototypes in plain words: what each one is, and how strong the evidence for it is."""
