"""clang's output as located errors."""

from porting.verify.messages import ClangError, Place, errors

IN_HEADER = """\
In file included from /tree/src/a.cu:3:
In file included from /tree/include/b.h:7:
/rocm/include/hip/c.h:5:10: error: unknown type name 'foo'
/tree/src/a.cu:9:1: note: in instantiation of function template specialization 'g<int>'
1 error generated when compiling for gfx942.
"""


def inside(path: str) -> bool:
    return path.startswith("/tree/")


def test_error_when_in_a_file_of_the_tree() -> None:
    (error,) = errors("/tree/a.cu:4:12: error: use of undeclared identifier 'x'\n")
    assert error == ClangError(
        "use of undeclared identifier 'x'", Place("/tree/a.cu", 4, 12), [], []
    )


def test_error_when_in_a_header_of_the_system() -> None:
    (error,) = errors(IN_HEADER)
    assert error.place == Place("/rocm/include/hip/c.h", 5, 10)
    assert error.includers == [Place("/tree/include/b.h", 7), Place("/tree/src/a.cu", 3)]
    assert error.best_place(inside) == Place("/tree/src/a.cu", 9, 1)


def test_error_when_only_an_includer_is_in_the_tree() -> None:
    text = "\n".join(line for line in IN_HEADER.splitlines() if "note" not in line)
    (error,) = errors(text)
    assert error.best_place(inside) == Place("/tree/include/b.h", 7)


def test_errors_when_warnings_stand_between() -> None:
    text = (
        "/tree/a.cu:1:1: error: first\n/tree/a.cu:2:1: warning: not this\n"
        "/tree/a.cu:3:1: note: of the warning\n/tree/a.cu:4:1: error: second\n"
    )
    found = list(errors(text))
    assert [(e.text, e.notes) for e in found] == [("first", []), ("second", [])]


def test_error_when_a_header_is_missing() -> None:
    (error,) = errors("/tree/a.cu:2:10: fatal error: 'hipcub/hipcub.hpp' file not found\n")
    assert error.missing_header == "hipcub/hipcub.hpp"
    (other,) = errors("/tree/a.cu:2:10: error: 'x' is private\n")
    assert other.missing_header == ""


def test_error_when_it_has_no_place() -> None:
    text = (
        "<unknown>:0:0: error: stack frame size (131104) exceeds limit\n"
        "clang++-19: error: unknown argument: '-fnonsense'\n"
        "clang++-19: error: amdgcn-link command failed with exit code 1 (use -v)\n"
    )
    found = list(errors(text))
    assert [(e.text, e.place) for e in found] == [
        ("stack frame size (131104) exceeds limit", None),
        ("unknown argument: '-fnonsense'", None),
    ]


def test_error_when_device_code_calls_another_unit() -> None:
    text = (
        "lld: error: undefined hidden symbol: f(int)\n"
        ">>> referenced by /tmp/u-gfx90a-1.o:(k(int*))\n"
        "clang++-19: error: amdgcn-link command failed with exit code 1\n"
    )
    (error,) = errors(text)
    assert error.text.startswith("device code calls f(int), which this unit does not define;")
