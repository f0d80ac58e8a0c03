"""Measure, print, and write down."""

import argparse
import warnings
from pathlib import Path

import torch

import protograph as pg
from research import certificate
from research.speed import PARTS, __doc__, limits_of, seeds_of
from research.speed.timing import calibration, row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--out", type=Path, default=certificate.RESULTS / "speed.json")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help="measure these, keep the rest")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", pg.ProtographWarning)
    kept = {name: one for name, one in certificate.read(asked.out, {}).items() if name in PARTS} if asked.only else {}
    earlier = certificate.runs_of(asked.out) if asked.only else []
    loop = calibration()
    row("calibrating loop", f"{loop:.3f} s, {torch.get_num_threads()} threads")
    for name in asked.only or PARTS:
        kept[name] = PARTS[name].measure(asked.repeats)
        PARTS[name].show(kept[name])
        # Part by part: what was measured is not lost if a later one fails.
        results = {part: kept[part] for part in PARTS if part in kept}
        certificate.write(asked.out, results, seeds=seeds_of(results), limits=limits_of(results), earlier=earlier)


if __name__ == "__main__":
    main()
