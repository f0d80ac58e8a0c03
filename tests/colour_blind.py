"""How far colours are apart for those who see fewer of them."""

import numpy as np

# Machado, Oliveira and Fernandes, A physiologically-based model for simulation of color vision deficiency (2009),
# of full severity, on linear RGB.
SEEN_AS = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "full vision": np.eye(3).tolist(),
}
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(color):
    """A colour ``#RRGGBB`` as linear RGB."""
    parts = np.array([int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """Linear RGB as CIE L*a*b*, in which distances are those that people see."""
    ratio = _XYZ @ rgb / _WHITE
    root = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def distance(one, other, sight):
    """How far two colours are apart under a sight; from about 2 they are seen to differ side by side."""
    seen = [lab(np.clip(np.array(SEEN_AS[sight]) @ linear(color), 0, 1)) for color in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))
