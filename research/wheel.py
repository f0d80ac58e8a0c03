"""Does a wheel run the demo in an empty environment?

python -m research.wheel            builds, installs into a new environment, explains BA-house there
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run(*command: object, cwd: Path) -> str:
    print("$", *command, flush=True)
    done = subprocess.run([str(part) for part in command], cwd=cwd, check=True, capture_output=True, text=True)
    return done.stdout


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="protograph-wheel-") as name:
        folder = Path(name)
        run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT, cwd=folder)
        (wheel,) = folder.glob("*.whl")
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*pip, "-c", ROOT / "constraints.txt", "torch", "numpy", cwd=folder)
        run(*pip, "-c", ROOT / "constraints.txt", wheel, cwd=folder)
        print(run(folder / "venv" / "bin" / "protograph", "explain", "ba-house", cwd=folder))
        files = sorted(path.name for path in (folder / "runs" / "ba-house").iterdir())
        assert {"explanation.json", "report.html", "model.pt"} <= set(files), files
        print(f"{wheel.name}: the demo runs in an empty environment")


if __name__ == "__main__":
    main()
