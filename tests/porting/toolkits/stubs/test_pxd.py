"""Cython declarations of AMD's bindings as C declarations."""

import pytest

from porting.errors import ToolchainError
from porting.toolkits.stubs.pxd import Constant, Enum, Prototype, Record, Typedef, parse

SUFFIX = "except? DEMO_FAILED nogil"
STUB = f"""\
# MIT License

from libc.stdint cimport *
ctypedef bint _Bool # bool is not a reserved keyword in C, _Bool is
from hip.chip cimport hipStream_t, float2
cdef extern from "demo/demo.h":

    cdef int DEMO_VERSION

    cdef char * DEMO_NAME

    ctypedef enum demoStatus_t:
        DEMO_SUCCESS
        DEMO_FAILED

    ctypedef enum:
        DEMO_A

    cdef enum demoMode:
        DEMO_MODE_FAST

    cdef struct demoOpaque:
        pass

    ctypedef demoOpaque * demoHandle_t

    cdef struct demoConfig:
        unsigned long size
        char[128] internal
        uint64_t data[4]
        bint on

    cdef union demoValue:
        int i
        float f

    ctypedef unsigned int[32] demoVectors_t

    ctypedef void (*demoCallback_t) (int32_t,const char *)

# @param handle [in] a comment with (parentheses) and cdef int TRAP
cdef demoStatus_t demoRun(demoHandle_t handle,const float2 *const * x,hipStream_t stream) {SUFFIX}

cdef const char * demoName() noexcept nogil
cdef bint demoIsOn(bint on)
"""


def test_stub_when_parsed() -> None:
    assert parse(STUB) == [
        Constant("DEMO_VERSION"),
        Constant("DEMO_NAME"),
        Enum("demoStatus_t", ("DEMO_SUCCESS", "DEMO_FAILED")),
        Enum("", ("DEMO_A",)),
        Enum("demoMode", ("DEMO_MODE_FAST",)),
        Record("struct", "demoOpaque", ()),
        Typedef("demoHandle_t", "demoOpaque * demoHandle_t"),
        Record(
            "struct",
            "demoConfig",
            ("unsigned long size", "char internal[128]", "uint64_t data[4]", "bool on"),
        ),
        Record("union", "demoValue", ("int i", "float f")),
        Typedef("demoVectors_t", "unsigned int demoVectors_t[32]"),
        Typedef("demoCallback_t", "void (*demoCallback_t) (int32_t,const char *)"),
        Prototype(
            "demoStatus_t",
            "demoRun",
            "demoHandle_t handle,const float2 *const * x,hipStream_t stream",
        ),
        Prototype("const char *", "demoName", ""),
        Prototype("bool", "demoIsOn", "bool on"),
    ]


def test_stub_when_a_form_is_unknown() -> None:
    expected = r"^a stub has a declaration of an unknown form: 'cdef class Thing'$"
    with pytest.raises(ToolchainError, match=expected):
        parse("cdef class Thing\n")
