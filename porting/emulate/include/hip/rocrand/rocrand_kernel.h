// Random numbers in device code are not emulated.
#pragma once

#error \
    "the emulator has no rocrand device functions; make the numbers on the host, or run this program on a device"
