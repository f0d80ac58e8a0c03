"""Whether a page can be used by everybody, as axe-core sees it."""

from hashlib import sha256
from pathlib import Path

FILE = Path(__file__).parent / "vendor" / "axe-core" / "axe.min.js"
SUM = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878"


def source():
    content = FILE.read_bytes()
    assert sha256(content).hexdigest() == SUM
    return content.decode()


def serious(page):
    """What is serious or worse: the rule, and the first elements that break it."""
    page.evaluate(source())
    found = page.evaluate("() => axe.run().then((result) => result.violations)")
    return {
        one["id"]: [node["html"][:160] for node in one["nodes"]][:3]
        for one in found
        if one["impact"] in ("serious", "critical")
    }
