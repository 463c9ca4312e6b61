"""The kinds of findings of an emulated run, as native/core/findings.cpp tells them.

`porting explain` reads them; a test compares both tables.
"""

from porting.diagnostics import Code, Severity

_TOPIC = "emulated"

OUT_OF_BOUNDS = Code(
    "EMU001",
    _TOPIC,
    Severity.ERROR,
    "out of bounds",
    "Device code, a copy or a fill reaches memory behind an allocation, across the end of one, or"
    " where nothing is allocated; or a kernel leaves a variable in shared or device memory; or"
    " memory that cuMemSetAccess or hipMemSetAccess let be read only is written.  The access is not"
    " carried out: the kernel ends there, a copy is refused.\n\n"
    "Typical causes: `<=` for `<` in the check of an index; a grid that is rounded up to whole"
    " blocks without such a check; a shared array sized by 32 lanes and indexed by 64, where"
    " waves of gfx9 are 64 wide; memory of a pool that is used by a stream which does not"
    " wait for the allocation.  On a device the first bytes behind an allocation mostly belong to"
    " the same page, so that nothing is noticed and somebody else's data changes.\n\n"
    "What to do: the finding names the line of the access, the thread, and where the allocation was"
    " made; compare the index with the size asked for there.",
)
USE_AFTER_FREE = Code(
    "EMU002",
    _TOPIC,
    Severity.ERROR,
    "use after free",
    "Device code, a copy or a fill uses memory that has been freed.  The access is not carried"
    " out.\n\n"
    "Typical causes: cudaFree or hipFree is taken for something that waits for other streams'"
    " later work; a pointer that is kept in a struct on the device; memory that cudaFreeAsync or"
    " hipFreeAsync gives back on one stream while another still works on it.  On a device the"
    " memory often still holds what it held, until another allocation gets it.\n\n"
    "What to do: the finding names the access, the allocation and the free; move the free behind"
    " what uses the memory, or order the streams by an event.",
)
HOST_MEMORY = Code(
    "EMU003",
    _TOPIC,
    Severity.ERROR,
    "memory of the host",
    "A kernel reaches an address that is no memory of a device: a null pointer, the host's heap,"
    " stack or variables, or a number that is no pointer.\n\n"
    "Typical causes: a pointer to host memory as an argument where a copy was forgotten; the"
    " address of a `__device__` variable taken on the host, which is the host's shadow of it (ask"
    " cudaGetSymbolAddress or hipGetSymbolAddress); an allocation whose status was not looked at."
    "  Some systems let kernels reach all memory of the process (HMM, XNACK, a GPU with one memory"
    " for both), and the program works there and nowhere else.\n\n"
    "What to do: allocate with the runtime, register the host's memory, or copy.",
)
SHARED_RACE = Code(
    "EMU004",
    _TOPIC,
    Severity.ERROR,
    "race on shared memory",
    "Two threads of a block use the same bytes of shared memory, at least one writes, and no"
    " barrier stands in between.  Atomic accesses do not race with each other, and a write of the"
    " value that is there already is not told of.\n\n"
    "Typical causes: a missing `__syncthreads()` before the array is filled again, most often at"
    " the end of a loop's body; code that counts on the lanes of a warp to run in step, which CUDA"
    " does not promise since Volta (`__syncwarp()`), and which means 64 lanes on ROCm's gfx9 and 32"
    " elsewhere.  It can work on one vendor's device and fail on the other's.\n\n"
    "What to do: put a barrier between the two places that the finding and its neighbour name;"
    " a second finding often tells the other half of the same race.",
)
DIVERGENT_BARRIER = Code(
    "EMU005",
    _TOPIC,
    Severity.ERROR,
    "divergent barrier",
    "Not all threads of a block reach one barrier: some have ended, wait at another barrier, or"
    " for something else.  The emulator lets those that wait go on.\n\n"
    "Typical causes: `__syncthreads()` in a branch, or after a `return` of some threads.  On"
    " NVIDIA's devices the kernel hangs or goes on with undefined results; AMD's hardware counts"
    " waves, and waves that have ended do not count, so the same code may pass there.\n\n"
    "What to do: let every thread reach the barrier, and put the condition around the work between"
    " barriers instead.",
)
INACTIVE_LANE = Code(
    "EMU006",
    _TOPIC,
    Severity.ERROR,
    "inactive lane",
    "A shuffle, vote or ballot concerns a lane that does not take part: it has ended, is in"
    " another branch, or is not in the mask.\n\n"
    "Typical causes: a full mask in a branch that only some lanes take; the last, incomplete warp"
    " of a block; a shuffle of width 32 on a wave of 64, or the other way round.  The value is"
    " undefined on devices of either vendor, and NVIDIA's may wait for ever.\n\n"
    "What to do: compute the mask before the branch (`__ballot_sync`), keep all lanes in the loop,"
    " or read from lanes that are there.",
)
STREAM_RACE = Code(
    "EMU007",
    _TOPIC,
    Severity.ERROR,
    "race between streams",
    "Two operations, kernels or copies, use the same bytes of device memory, at least one writes,"
    " and neither streams, events, graphs nor the host order one before the other.  What memory"
    " held when it was freed is nobody's past.\n\n"
    "Typical causes: a non-blocking stream beside the default one; a missing cudaStreamWaitEvent or"
    " hipStreamWaitEvent; cudaMemcpyAsync from a stream other than the kernel's.  Devices run the"
    " operations in some order nearly always, and it differs between vendors and releases.\n\n"
    "What to do: record an event behind the first operation and let the second's stream wait for"
    " it.  Kernels that order themselves by polling memory are not recognised as ordered.",
)
HOST_RACE = Code(
    "EMU008",
    _TOPIC,
    Severity.ERROR,
    "race with the host",
    "The host touches pinned memory, or frees it, while a copy still works on it, and has waited"
    " for nothing that tells of the copy's end.\n\n"
    "Typical causes: cudaMemcpyAsync or hipMemcpyAsync is taken for cudaMemcpy; a staging buffer is"
    " filled again too early.  With pageable memory such copies are partly synchronous, on either"
    " vendor, and a change to pinned memory brings the fault to light.\n\n"
    "What to do: wait for the stream or for an event behind the copy.",
)
ASSERTION = Code(
    "EMU009",
    _TOPIC,
    Severity.ERROR,
    "assertion",
    "An `assert` in device code does not hold.  The kernel ends there, and the call that waits for"
    " it answers cudaErrorAssert or hipErrorAssert.\n\n"
    "Both vendors leave assertions out where NDEBUG is defined, and so does the emulator: it takes"
    " macros from the compile commands of the build, and CMake's Release and RelWithDebInfo define"
    " it.\n\n"
    "What to do: the finding has the expression, its line and the thread.",
)
TRAP = Code(
    "EMU010",
    _TOPIC,
    Severity.ERROR,
    "trap",
    "A kernel ended itself, by `__trap()`, HIP's `abort()` or what a compiler puts where code must"
    " not be reached.\n\n"
    "The call that waits for it answers cudaErrorIllegalInstruction or hipErrorLaunchFailure.\n\n"
    "What to do: look at the condition around the line.",
)
STACK_OVERFLOW = Code(
    "EMU011",
    _TOPIC,
    Severity.ERROR,
    "stack overflow",
    "A thread of a kernel needs more stack than it has.  Emulated threads have 1 MiB, far more than"
    " on a device, where cudaLimitStackSize or hipLimitStackSize sets it: what overflows here does"
    " so there.  The kernel ends, and the call that waits for it answers"
    " cudaErrorHardwareStackError or hipErrorLaunchFailure.\n\n"
    "Typical causes: a recursion that does not end, or whose depth comes from data; arrays of"
    " megabytes as local variables.\n\n"
    "What to do: the finding names a line of the function that was running when the stack was used"
    " up; bound the recursion, or keep what is to be visited in an array of memory of the device.",
)
BAD_FREE = Code(
    "EMU012",
    _TOPIC,
    Severity.ERROR,
    "bad free",
    "Device code frees what device code's malloc or new did not give: memory that the host"
    " allocated, a pointer into the middle of an allocation, one that was freed before, or none at"
    " all.  The kernel ends there.\n\n"
    "A wrong argument of cudaFree or hipFree is no finding: the call returns an error, of what"
    " device code's malloc gave too.\n\n"
    "What to do: free the pointer that malloc returned, once, and in device code; free on the host"
    " what the host allocated.",
)
LEAK = Code(
    "EMU013",
    _TOPIC,
    Severity.WARNING,
    "leak",
    "Device or managed memory, a stream or an event has not been given back when the program ends."
    "  Told only where `porting emulate --leaks` asks for it, since many programs leave that to"
    " the end of the process, which gives all of it back.  What cudaDeviceReset or hipDeviceReset"
    " takes is no leak.\n\n"
    "Typical causes: an early return between an allocation and its free; a handle that is"
    " overwritten; a stream or an event made per call and destroyed never.  In a program that runs"
    " for long they add up until memory runs out.\n\n"
    "What to do: the finding names the line that made it, and how many of that line are left; give"
    " it back, or let an object own it.  Nothing is told of a program that ends by a signal or by"
    " _exit.",
)
MISALIGNED = Code(
    "EMU014",
    _TOPIC,
    Severity.ERROR,
    "misaligned access",
    "A kernel reads or writes at an address that is no multiple of what the access's type asks"
    " for: the size of a number or pointer, for vector types up to 16 bytes (uint4), for a struct"
    " what the largest of its members or `alignas` asks for.\n\n"
    "NVIDIA's devices carry out no access that is not a multiple of its size: the kernel ends, and"
    " calls answer cudaErrorMisalignedAddress, unless the compiler has split the access or left it"
    " out.  AMD's, as ROCm sets them up, carry loads and stores out, and so does the emulator for"
    " them; an atomic access ends the kernel on either.\n\n"
    "Typical causes: bytes of a packed buffer read as numbers; a pointer cast to a vector type to"
    " copy faster, where a row, a slice or an offset is not aligned to it.\n\n"
    "What to do: check the address before the wide access, copy by memcpy from a pointer to char,"
    " or pad the layout.  Members of packed structs are accessed as they lie, and are not told.",
)
NO_CODE = Code(
    "EMU015",
    _TOPIC,
    Severity.ERROR,
    "no code",
    "The program uses a kernel, or a variable of device memory, that none of its sidecars has, so"
    " it was not run: the launch or the copy returned an error.  Nothing is known of it.\n\n"
    "Typical causes: no `--build-dir` was given, or not that of a library which the program loads;"
    " a build folder of the other platform; a source that was added since the build was"
    " configured, which compile_commands.json does not name.\n\n"
    "What to do: give the folder of each build with `--build-dir`, and configure it again.",
)

CODES: tuple[Code, ...] = (
    OUT_OF_BOUNDS,
    USE_AFTER_FREE,
    HOST_MEMORY,
    SHARED_RACE,
    DIVERGENT_BARRIER,
    INACTIVE_LANE,
    STREAM_RACE,
    HOST_RACE,
    ASSERTION,
    TRAP,
    STACK_OVERFLOW,
    BAD_FREE,
    LEAK,
    MISALIGNED,
    NO_CODE,
)
