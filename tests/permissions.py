"""Whether the file system refuses this user anything."""

import os
import tempfile

import pytest


def writes_anywhere():
    """True for a user, such as root, whom a folder's mode does not keep out."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o500)
        try:
            return os.access(folder, os.W_OK)
        finally:
            os.chmod(folder, 0o700)


needs_a_refusal = pytest.mark.skipif(writes_anywhere(), reason="this user can write to every folder")
