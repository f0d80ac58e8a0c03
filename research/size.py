"""How much code there is: the statements of ``src``, docstrings and imports counted, by package.

python -m research.size
"""

import ast
from collections import Counter

from research.certificate import ROOT

SOURCE = ROOT / "src" / "protograph"


def main() -> None:
    sizes: Counter[str] = Counter()
    for module in SOURCE.rglob("*.py"):
        package = module.relative_to(SOURCE).parent.as_posix()
        sizes[package] += sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(module.read_text())))
    for package, size in sizes.most_common():
        print(f"{size:6} {package}")
    print(f"{sizes.total():6} in all")


if __name__ == "__main__":
    main()
