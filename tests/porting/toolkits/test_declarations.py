"""Function declarations out of preprocessed C."""

from porting.toolkits.declarations import Function, enumerators, functions

HEADER = """
typedef enum hipError_t { hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorTbd } hipError_t;
typedef struct { int x; union { int a; float b; }; } inner_t;
struct dim3 { int x, y; };
typedef void (*hipCallback_t)(void *user);
static inline int hipInline(int x) { return x + hipNested(x); }
hipError_t hipInit(unsigned int flags);
extern const char *hipName(hipError_t error);
__attribute__((deprecated("use another"))) hipError_t hipOld(void **p,
                                                              unsigned long size);
struct channel hipDesc(int x, int y);
hipError_t hipNoName(int, void *);
int hipVariable;
"""


def test_functions_when_declared() -> None:
    assert [(f.result, f.name) for f in functions(HEADER)] == [
        ("hipError_t", "hipInit"),
        ("const char *", "hipName"),
        ("hipError_t", "hipOld"),
        ("struct channel", "hipDesc"),
        ("hipError_t", "hipNoName"),
    ]


def test_parameters_when_named() -> None:
    function = Function("int", "f", "void **p, unsigned long sizes[4], const int n")
    assert function.parameter_names == ["p", "sizes", "n"]


def test_enumerators_when_some_have_values() -> None:
    expected = ["hipSuccess", "hipErrorInvalidValue", "hipErrorTbd"]
    assert enumerators(HEADER, "hipError_t") == expected
    assert enumerators(HEADER, "otherError_t") == []
