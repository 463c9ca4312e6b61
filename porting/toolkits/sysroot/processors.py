"""AMD's GPU processors that a ROCm tree serves, with their numbers in ELF headers."""

# EF_AMDGPU_MACH values.  Source: LLVM's AMDGPU backend user guide, "AMDGPU ELF Header e_flags".
MACHINES = {
    "gfx900": 0x2C,
    "gfx906": 0x2F,
    "gfx908": 0x30,
    "gfx90a": 0x3F,
    "gfx942": 0x4C,
    "gfx950": 0x4F,
    "gfx1010": 0x33,
    "gfx1030": 0x36,
    "gfx1031": 0x37,
    "gfx1032": 0x38,
    "gfx1034": 0x3E,
    "gfx1035": 0x3D,
    "gfx1036": 0x45,
    "gfx1100": 0x41,
    "gfx1101": 0x46,
    "gfx1102": 0x47,
    "gfx1103": 0x44,
    "gfx1150": 0x43,
    "gfx1151": 0x4A,
    "gfx1152": 0x55,
    "gfx1153": 0x58,
    "gfx1200": 0x48,
    "gfx1201": 0x4E,
    "gfx1250": 0x49,
}
