// Surfaces are not emulated.
#pragma once

#error \
    "the emulator has no surfaces; write the memory directly, or run this program on a device"
