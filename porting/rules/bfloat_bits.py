"""How the bits of a bfloat16 number are read and made in every release of HIP.

The functions that CUDA has for it have HIP's name too, and convert the number in the headers of
ROCm 6.2: __ushort_as_bfloat16(0x3f80) is 16256 there, not 1.  The raw structure holds the bits in
every release; its member is not named, since it is called as the parameters of macros often are.
Each is what takes the place of a function's name, and what follows its closing parenthesis.
"""

from typing import Final

TO_BITS: Final = ("__builtin_bit_cast(unsigned short, static_cast<__hip_bfloat16_raw>", ")")
TO_SIGNED_BITS: Final = (TO_BITS[0].replace("unsigned ", ""), TO_BITS[1])
FROM_BITS: Final = ("__hip_bfloat16(__hip_bfloat16_raw{static_cast<unsigned short>", "})")
