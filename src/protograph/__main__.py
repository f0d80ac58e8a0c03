"""``python -m protograph`` is the command ``protograph``."""

from protograph.cli import main

main()
