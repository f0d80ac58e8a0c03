"""What every package may use: errors, randomness, progress, files, ties, words, checks of options."""

from protograph._utils.surroundings import check_surroundings

# Here, because it must come before torch and PyG are imported.
check_surroundings()

__version__ = "0.1.0"
