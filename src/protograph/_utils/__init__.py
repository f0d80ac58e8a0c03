"""What every package may use: errors, randomness, progress, files, ties, words, checks of options."""

__version__ = "0.1.0"
