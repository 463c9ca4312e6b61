"""The data files of values are what AMD's wheels give."""

import sys

import pytest

from porting.toolkits.stubs import generate_values


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the pinned builds are for Python 3.11")
def test_data_files_when_compared_with_the_wheels() -> None:
    assert generate_values.main(["--check"]) == 0
