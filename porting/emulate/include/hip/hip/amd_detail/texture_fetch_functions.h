// Textures are not emulated.
#pragma once

#error \
    "the emulator has no textures; read the memory directly, or run this program on a device"
