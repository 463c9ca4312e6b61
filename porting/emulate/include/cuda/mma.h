// Matrix fragments of a warp (nvcuda::wmma): not there.
#error \
    "mma.h: the emulator has no tensor-core fragments (nvcuda::wmma); keep such kernels out of emulated builds or give them another path"
