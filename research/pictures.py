"""Pictures for the documents: the top of a report and an opened card of it, as Chromium shows them.

``python -m research.pictures RUN`` takes a folder of ``protograph explain`` and writes ``docs/images/report.png`` and
``docs/images/molecules.png``. Those that are kept are of ``protograph explain mutagenicity``.
"""

import os
import shutil
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

IMAGES = Path(__file__).parent.parent / "docs" / "images"
CHROMIUM = os.environ.get("PROTOGRAPH_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
# Pixels of the window, and colours of a picture: enough for flat ones, at a third of the size.
WIDTH, HEIGHT, COLORS = 1180, 1010, 250
CARD = "#class-0-prototype-1"


def main(run: Path) -> None:
    """Write both pictures."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        window = {"width": WIDTH, "height": HEIGHT}
        page = browser.new_page(viewport=window, device_scale_factor=1.5, color_scheme="light")
        page.goto((run / "report.html").resolve().as_uri())
        save(page.screenshot(), "report.png")
        page.locator(f"{CARD} details.more > summary").click()
        page.locator(CARD).evaluate("card => card.scrollIntoView({block: 'center', behavior: 'instant'})")
        save(page.screenshot(clip=card_and_sources(page), full_page=True), "molecules.png")
        browser.close()


def card_and_sources(page: Any) -> dict[str, float]:
    """Where the card is on the page, down to the graphs that its prototype was found in."""
    return page.evaluate(  # type: ignore[no-any-return]
        "(id) => { const card = document.querySelector(id).getBoundingClientRect(); "
        "const last = document.querySelector(`${id} .sources`).getBoundingClientRect(); "
        "const height = last.bottom - card.y + 28; "
        "return { x: card.x - 8, y: card.y + scrollY - 8, width: card.width + 16, height }; }",
        CARD,
    )


def save(content: bytes, name: str) -> None:
    """Keep a picture with few colours."""
    image = (
        Image.open(BytesIO(content))
        .convert("RGB")
        .quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    image.save(IMAGES / name, optimize=True)
    print(f"{name}: {image.width} x {image.height}, {(IMAGES / name).stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
