"""What every package may use: errors, randomness, progress, files, ties, words, checks of options."""

from protograph._base.surroundings import check_working_directory

# Here, because it must come before torch is imported.
check_working_directory()
