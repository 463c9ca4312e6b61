"""What the processor's memory is to the process, beyond what every device's is."""

import mmap
import os

from runtime.devices import device


def test_memory_of_the_processor_is_not_shared_with_a_child() -> None:
    dev = device("cpu")
    stream, buffer = dev.stream(), dev.allocate(mmap.PAGESIZE)
    dev.fill(buffer, 1, stream)
    child = os.fork()
    if child == 0:
        dev.fill(buffer, 7, stream)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    whole = bytearray(mmap.PAGESIZE)
    dev.copy(whole, buffer, stream)
    assert whole == b"\x01" * mmap.PAGESIZE
