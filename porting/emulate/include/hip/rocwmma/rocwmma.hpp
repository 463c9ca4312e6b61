// Matrix instructions are not emulated.
#pragma once

#error \
    "the emulator has no matrix instructions (rocWMMA); compile the path without them, or run this program on a device"
