import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def models():
    """The folder of example models."""
    return ROOT / "examples" / "models"


@pytest.fixture(scope="session")
def reference():
    """What ctests/reference.c has written with the same library."""
    path = os.environ.get("DIFFSIM_REFERENCE")
    if not path:
        pytest.skip("DIFFSIM_REFERENCE does not name the file that ctests/reference.c writes")
    return pathlib.Path(path)
