"""PTX in asm statements, which a processor's assembler refuses, as instructions of LLVM."""

from porting.emulate.ptx.statements import with_ptx

__all__ = ["with_ptx"]
