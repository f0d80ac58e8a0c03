"""The tests mirror the sources: ``src/protograph/a/b.py`` is tested by ``tests/a/test_b.py``."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE, TESTS = ROOT / "src" / "protograph", ROOT / "tests"
# Modules without a test file of their own, and why.
ELSEWHERE: dict[str, str] = {}


def mirrored(module: Path) -> Path:
    inside = module.relative_to(SOURCE)
    return TESTS / inside.parent / f"test_{inside.name}"


def test_list():
    missing = [
        m.relative_to(SOURCE).as_posix()
        for m in sorted(SOURCE.rglob("*.py"))
        if m.name != "__init__.py" and not mirrored(m).exists()
    ]
    assert not missing, "\n".join(missing)
