"""Whether a file follows one plan, the one that was asked about, and opens what is to be opened."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.link.codes import CUDA_TEXT, LINKED_DRIVER, MIXED, TWO_CUDARTS, WRONG_PLATFORM
from porting.link.follows import Follows, has_static_cudart
from porting.link.libraries import How, vendor_file
from porting.link.subject import Subject


def check(subject: Subject) -> Iterator[Diagnostic]:
    """Yield what is wrong with the plan of a file."""
    yield from _platform(subject)
    if subject.is_linked:
        yield from _two_runtimes(subject)
        yield from _linked_drivers(subject)
        yield from _texts(subject)


def _platform(subject: Subject) -> Iterator[Diagnostic]:
    asked = subject.question.platform
    follows = subject.follows
    if follows is Follows.MIXED and subject.is_linked:
        cuda = [name for name, _ in subject.needed("cuda")] or ["a static cudart"]
        rocm = [name for name, _ in subject.needed("rocm")] or ["HIP's functions"]
        message = f"the file is linked with {', '.join(cuda)} and with {', '.join(rocm)}"
        yield subject.found(MIXED, message, "build one file per platform")
    elif (asked == "rocm" and follows.has_cuda) or (asked == "cuda" and follows.has_rocm):
        message = f"the file follows the plan {follows.value}, and {asked} was asked about"
        yield subject.found(WRONG_PLATFORM, message, f"build it with GPU_PLATFORM={asked}")


def _two_runtimes(subject: Subject) -> Iterator[Diagnostic]:
    shared = [name for name, found in subject.needed("cuda") if found.library.id == "cudart"]
    if shared and has_static_cudart(subject.file):
        message = f"the file holds a static cudart and needs {shared[0]} too"
        advice = "link all of its objects with -cudart static, or all with -cudart shared"
        yield subject.found(TWO_CUDARTS, message, advice, shared[0])


def _linked_drivers(subject: Subject) -> Iterator[Diagnostic]:
    """Libraries of the driver stop a program that could do without; the others are a choice."""
    for name in subject.file.needed:
        found = vendor_file(name)
        side = found and (found.library.cuda if found.platform == "cuda" else found.library.rocm)
        if found and side and side.how is How.DLOPEN:
            driver = found.is_of_driver
            where = "on a machine without the driver" if driver else f"where {name} is missing"
            message = f"{name} is linked: the file does not load {where}"
            advice = "open it with dlopen, with RTLD_NOLOAD first, and look its functions up"
            yield subject.found(LINKED_DRIVER, message, advice, name, note=not driver)


def _texts(subject: Subject) -> Iterator[Diagnostic]:
    if subject.follows is not Follows.ROCM:
        return
    for text in subject.file.libraries:
        found = vendor_file(text)
        if found and found.platform == "cuda":
            message = f"the name {text} of a CUDA library is among the file's texts"
            advice = f"in its place ROCm has {found.library.soname(subject.question.rocm)}"
            if not found.library.rocm.name:
                advice = "ROCm has no library in its place"
            yield subject.found(CUDA_TEXT, message, advice, text)
