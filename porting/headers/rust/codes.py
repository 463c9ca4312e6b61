"""What can be found in the Rust crates of a tree."""

from porting.diagnostics import Code, Severity

_TOPIC = "rust-ffi"

NO_COUNTERPART = Code(
    "RST001",
    _TOPIC,
    Severity.ERROR,
    "a CUDA name in Rust code that HIP has nothing for",
    "The generated rocm_compat module gives HIP under CUDA's names; for this one there is nothing"
    " to give, so the crate does not compile (or link) for ROCm.  Choose another call, or put the"
    " code behind a feature that the ROCm build leaves out.",
)
OWN_LAYOUT = Code(
    "RST002",
    _TOPIC,
    Severity.ERROR,
    "a hand-written struct that is laid out otherwise in HIP",
    "The crate declares a struct of CUDA's itself and hands it to the library.  HIP's struct has"
    " other fields or another size, so the library would read or write past it.  Declare the"
    " generated module where cfg(gpu_rocm) holds, take the type from it there, and keep the"
    " hand-written one for cfg(not(gpu_rocm)); ported build scripts set that cfg."
    "  docs/rust.md shows it.",
)
LITERAL_HANDLE = Code(
    "RST003",
    "handle-type",
    Severity.NOTE,
    "an integer literal for a handle that is a pointer in HIP",
    "CUDA's handle is an integer and HIP's is a pointer.  rocm_compat keeps the integer and casts"
    " in its functions, so the code goes on compiling.  Where such a value goes to HIP directly,"
    " write std::ptr::null_mut() there.",
)
UNDECLARED_FEATURE = Code(
    "RST004",
    "rust-cfg",
    Severity.WARNING,
    "a cfg asks for a feature that Cargo.toml does not declare",
    "cargo can never switch such a feature on, so the code behind it is never compiled and the code"
    " behind its negation always is.  Declare the feature in [features], or mend the name.",
)
UNDECLARED_CFG = Code(
    "RST005",
    "rust-cfg",
    Severity.WARNING,
    "a cfg that nothing sets or announces",
    "The name is no cfg of the compiler's, and the build script prints neither"
    " cargo:rustc-cfg nor cargo:rustc-check-cfg for it: the code behind it is never compiled, and"
    " from Rust 1.80 on the compiler warns.  Announce it in the build script, or mend the name.",
)
NUMERIC_ERROR = Code(
    "RST006",
    "error-codes",
    Severity.WARNING,
    "a CUDA status compared with numbers",
    "The numbers of CUDA's and HIP's errors agree for part of the codes only, and some CUDA codes"
    " are never returned by HIP (no driver is 35 in CUDA and 100 in HIP).  Match on the named"
    " constants instead.",
)
LIBRARY_NAME = Code(
    "RST007",
    "dlopen-string",
    Severity.ERROR,
    "a CUDA library opened by its file name",
    "The library is not there on a ROCm machine.  Its counterpart has another name, and its"
    " functions have HIP's names: dlsym must ask for those.",
)
LINK_ATTRIBUTE = Code(
    "RST008",
    "link-line",
    Severity.NOTE,
    "#[link] names a CUDA library",
    "The source stays as it is: in a ROCm build the build script puts a library of that name in"
    " OUT_DIR that holds the forwarders to HIP.  Leave the linking to the build script alone to"
    " do without.",
)
LACKING = Code(
    "RST009",
    _TOPIC,
    Severity.ERROR,
    "a CUDA name that the generated Rust files lack",
    "The crate began to use a name after eclosion/rocm_compat.rs (or rocm_symbols.rs) was written:"
    " the ROCm build would fail.  Run `porting headers TREE -o TREE` and commit what it"
    " writes.",
)
OTHER_NUMBER = Code(
    "RST010",
    "error-codes",
    Severity.WARNING,
    "a hand-written constant whose number is another one",
    "The crate gives a CUDA constant a number that CUDA's headers do not, or that HIP reads as"
    " something else.",
)
RAW_NUMBERS = Code(
    "RST011",
    "error-codes",
    Severity.NOTE,
    "a function of your own that passes CUDA's numbers between C++ and Rust",
    "Calls of CUDA's own functions are translated to and from HIP's numbers.  A function of your"
    " library is not: in a ROCm build it gives and takes HIP's numbers, which differ from the"
    " constants that the crate writes by hand for part of the values.  Take the constants from"
    " rocm_compat, or pass a number of your own.",
)
CUDA_CRATE = Code(
    "RST012",
    _TOPIC,
    Severity.WARNING,
    "a dependency that binds CUDA's libraries",
    "The crate looks for CUDA when it is built, or opens libcuda when it runs, so the ROCm build"
    " must not have it.  Make it optional behind a feature, and take what the code uses of it from"
    " rocm_compat in the ROCm build.",
)
BAD_PATTERN = Code(
    "RST013",
    _TOPIC,
    Severity.WARNING,
    "an allow-list of bindgen's that cannot be read",
    "The pattern is no regular expression that this tool understands, so the names that it lets"
    " through are not in rocm_compat.  List the names, or write a simpler pattern.",
)
STALE = Code(
    "RST014",
    _TOPIC,
    Severity.WARNING,
    "a generated Rust file that is not what would be written now",
    "The crates, the target or this tool changed since the file was written, or it was edited by"
    " hand.  Run `porting headers TREE -o TREE`.",
)
OWN_SIGNATURE = Code(
    "RST015",
    "api-signature",
    Severity.WARNING,
    "a hand-written declaration with another number of parameters than CUDA's",
    "The declaration does not agree with CUDA's headers, so neither does the forwarder to HIP.",
)
NO_SCRIPT = Code(
    "RST016",
    "link-line",
    Severity.ERROR,
    "a crate that declares CUDA functions and has no build script",
    "Nothing tells the linker of a ROCm build where the functions are.  A build script compiles the"
    " forwarders and links libamdhip64.  Add one that holds fn main() {} and port the tree again:"
    " the port writes into it rocm_build::link_symbols of eclosion/rocm_build.rs,"
    " cargo:rustc-link-lib=dylib=amdhip64, and ROCm's folder of libraries for the linker"
    " (cargo:rustc-link-search) and the loader (cargo:rustc-link-arg=-Wl,-rpath).",
)
LINKED_LIBRARY = Code(
    "RST017",
    "link-line",
    Severity.ERROR,
    "#[link] names a CUDA library that has no counterpart with its functions",
    "The linker of a ROCm build looks for the library, which is not there, and no forwarders stand"
    " in for it.  Write the attribute for CUDA alone, #[cfg_attr(not(gpu_rocm), link(name ="
    ' "..."))], and the code that calls the library for either vendor; ported build scripts set'
    " cfg(gpu_rocm).",
)
CODES = (
    NO_COUNTERPART,
    OWN_LAYOUT,
    LITERAL_HANDLE,
    UNDECLARED_FEATURE,
    UNDECLARED_CFG,
    NUMERIC_ERROR,
    LIBRARY_NAME,
    LINK_ATTRIBUTE,
    LACKING,
    OTHER_NUMBER,
    RAW_NUMBERS,
    CUDA_CRATE,
    BAD_PATTERN,
    STALE,
    OWN_SIGNATURE,
    NO_SCRIPT,
    LINKED_LIBRARY,
)
