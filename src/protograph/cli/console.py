"""Progress on the terminal, as the commands show it."""

from protograph.progress import progress_bars

__all__ = ["progress_bars"]
