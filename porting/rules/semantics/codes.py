"""The codes of the family of silent differences, each with its page for `porting explain`."""

from porting.diagnostics import Code, Severity

CAPTURE = Code(
    "SEM001",
    "capture-alloc",
    Severity.WARNING,
    "memory is allocated or freed while a stream may be capturing",
    "CUDA lets a thread in relaxed mode allocate from a pool on another stream while a stream"
    " captures.  HIP refuses the call with hipErrorStreamCaptureUnsupported (900) and may"
    " invalidate the capture, whatever the mode.  Allocate before the capture begins, or on the"
    " capturing stream, where the allocation becomes a node of the graph.",
)
DEVICE_COUNT = Code(
    "SEM002",
    "silent-semantics",
    Severity.WARNING,
    "the device count is read after a call that may have failed",
    "Without a driver cudaGetDeviceCount leaves its output as it was; hipGetDeviceCount sets it to"
    " 0.  Code that gives the variable another value first, and then looks at the value instead"
    " of the result, takes another branch.  Test the result of the call.",
)
NO_DRIVER = Code(
    "SEM003",
    "silent-semantics",
    Severity.WARNING,
    "a missing driver is known by cudaErrorInsufficientDriver only",
    "Without a driver CUDA returns cudaErrorInsufficientDriver (35), HIP hipErrorNoDevice (100).  A"
    " test for the first alone does not see a machine without a GPU.  Test for both.",
)
DEFERRED = Code(
    "SEM004",
    "silent-semantics",
    Severity.WARNING,
    "a deferred error check that older HIP overwrites",
    "Before ROCm 7.0 every HIP call overwrites the last error, a successful one with success, so"
    " the error of a launch is gone when another call stands between the launch and"
    " hipGetLastError.  CUDA, and HIP from 7.0 on, keep the error until it is read.  Read it right"
    " after the launch, or test the result of the call between.",
)
ERROR_NUMBER = Code(
    "SEM005",
    "silent-semantics",
    Severity.WARNING,
    "an error code is compared with a number",
    "HIP took over about half of CUDA's error numbers.  The number here is not among them, so the"
    " comparison never holds.  Compare with the name of the error.",
)
CAPABILITY = Code(
    "SEM006",
    "silent-semantics",
    Severity.WARNING,
    "a compute capability decides what runs",
    "On AMD GPUs major and minor are those of the gfx name: 9 for MI200 and MI300, 11 and 12 for"
    " RDNA 3 and 4.  A test like `major >= 8` holds there and chooses code for Ampere; `major == 9`"
    " chooses code for Hopper.  Ask for the feature (hipDeviceGetAttribute, gcnArchName) or decide"
    " by the platform.",
)
VERSION = Code(
    "SEM007",
    "silent-semantics",
    Severity.WARNING,
    "a version number is read as CUDA's",
    "hipRuntimeGetVersion and hipDriverGetVersion return HIP's version as major * 10000000 +"
    " minor * 100000 + patch, CUDA's return major * 1000 + minor * 10.  Comparisons with a CUDA"
    " version always hold, and the division by 1000 gives no major version.",
)
UNSUPPORTED_FLAG = Code(
    "SEM009",
    "silent-semantics",
    Severity.WARNING,
    "a flag that HIP accepts and does not honour",
    "The flag has a HIP name and a value, so the code compiles; AMD's header says that it is not"
    " supported.  The call fails or does without what the flag asks for, as the message says.",
)
FAILS = Code(
    "SEM010",
    "silent-semantics",
    Severity.WARNING,
    "a call that HIP declares and does not carry out",
    "The function exists and returns an error (or does nothing) on AMD GPUs.  Where the result is"
    " checked, the program stops there.",
)
IGNORED = Code(
    "SEM011",
    "silent-semantics",
    Severity.NOTE,
    "a setting that AMD GPUs ignore",
    "The call compiles, succeeds and changes nothing: AMD GPUs have no such setting.  Nothing is to"
    " be done unless the program relies on the effect.",
)
DIFFERS = Code(
    "SEM012",
    "silent-semantics",
    Severity.NOTE,
    "a call that behaves a little differently",
    "The call does what it is for.  The message names a difference in speed or range, which needs"
    " no change.  It is a warning where the result is another one: an image that is no AMD code"
    " object does not load, a memory range is exported with the allocation around it.",
)
UNREGISTERED = Code(
    "SEM013",
    "silent-semantics",
    Severity.WARNING,
    "unregistered host memory is recognised by its memory type",
    "cudaPointerGetAttributes succeeds for ordinary host memory since CUDA 11 and says"
    " cudaMemoryTypeUnregistered.  hipPointerGetAttributes returns hipErrorInvalidValue, as CUDA"
    " did before, and its output is not set.  Take the error for the answer, and clear it by"
    " hipGetLastError.",
)
SIGNAL_MEMORY = Code(
    "SEM014",
    "silent-semantics",
    Severity.WARNING,
    "a stream waits on a value in ordinary memory",
    "hipStreamWaitValue32 and 64 take memory that was allocated by hipExtMallocWithFlags with"
    " hipMallocSignalMemory.  With other memory they may not see the value.  Allocate the flag so.",
)
LAUNCH_BOUNDS = Code(
    "SEM015",
    "silent-semantics",
    Severity.NOTE,
    "the second launch bound has another unit",
    "CUDA's second argument of __launch_bounds__ is the least number of blocks on a"
    " multiprocessor; HIP's is the least number of waves on a SIMD unit (four of them to a compute"
    " unit), and limits the registers by it.  The bound is a hint for the compiler: whatever it is,"
    " the results are the same, so nothing has to be done.  Who tunes the kernel gets CUDA's"
    " meaning with blocks * threads / (wavefront * 4).",
)
DEFAULT_STREAM = Code(
    "SEM016",
    "silent-semantics",
    Severity.WARNING,
    "the macro for per-thread default streams does nothing in HIP",
    "CUDA_API_PER_THREAD_DEFAULT_STREAM makes stream 0 a stream of the calling thread.  HIP does"
    " not know the macro, so all threads share one default stream and wait for each other.  The"
    " flag -fgpu-default-stream=per-thread has the same effect on calls and on launches.",
)
CODES = (
    CAPTURE,
    DEVICE_COUNT,
    NO_DRIVER,
    DEFERRED,
    ERROR_NUMBER,
    CAPABILITY,
    VERSION,
    UNSUPPORTED_FLAG,
    FAILS,
    IGNORED,
    DIFFERS,
    UNREGISTERED,
    SIGNAL_MEMORY,
    LAUNCH_BOUNDS,
    DEFAULT_STREAM,
)
