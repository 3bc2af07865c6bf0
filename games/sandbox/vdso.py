"""Takes the vDSO away, the pages of code and clocks that the kernel maps into every process of the host.

Whoever reads a line of them brings it into the processor's caches, and a bot in another sandbox can measure that. So
this process gets a copy of its own at the same place, in which each function makes the system call that it saves
elsewhere: the C library and the loader have noted their addresses.
"""

from __future__ import annotations

import ctypes
import struct

from games.sandbox import kernel
from games.sandbox.mappings import mappings

CLOCK = b"__vdso_clock_gettime"
# System calls by their functions in the vDSO. It may have others; the C library calls none of them.
FUNCTIONS = {
    CLOCK: 228, b"__vdso_gettimeofday": 96, b"__vdso_time": 201, b"__vdso_clock_getres": 229,
    b"__vdso_getcpu": 309, b"__vdso_getrandom": 318,
}  # fmt: skip
CLOCKS = "[vvar"  # the clocks' pages, which have names such as [vvar_vclock]
HEADER, SECTION, SYMBOL = struct.Struct("<40xQ10xHHH"), struct.Struct("<4xI16xQQI12xQ"), struct.Struct("<I4xQ8x")
SYMBOLS = 11  # SHT_DYNSYM


def replace(myself: int) -> None:
    """Replace the vDSO by a private copy. `myself` is our folder in /proc.

    Raises OSError if a mapping is left that this process shares with others outside its sandbox.
    """
    for mapping in mappings(myself):
        if mapping.name == "[vdso]":
            image = ctypes.string_at(mapping.first, mapping.last - mapping.first)
            kernel.map_code(mapping.first, without_clocks(image))
        elif mapping.name.startswith(CLOCKS):
            kernel.unmap(mapping.first, mapping.last - mapping.first)
    if shared := [mapping.name for mapping in mappings(myself) if mapping.is_shared]:
        raise OSError(f"Bots would share memory with others: {', '.join(shared)}")


def without_clocks(image: bytes) -> bytes:
    """Return the vDSO's `image` with functions that only make their system call. Raises OSError if it has no clock."""
    changed, found = bytearray(image), functions(image)
    if CLOCK not in found:
        raise OSError("The kernel's vDSO cannot be read")
    for name in found.keys() & FUNCTIONS:  # mov eax, number; syscall; ret
        code = b"\xb8" + struct.pack("<I", FUNCTIONS[name]) + b"\x0f\x05\xc3"
        changed[found[name] : found[name] + len(code)] = code
    return bytes(changed)


def functions(image: bytes) -> dict[bytes, int]:
    """Return the offsets of all symbols of an ELF image."""
    start, size, count, _ = HEADER.unpack_from(image)
    sections = [SECTION.unpack_from(image, start + number * size) for number in range(count)]
    found = {}
    for kind, offset, length, names, entry in sections:
        if kind == SYMBOLS:
            texts = sections[names][1]
            for place in range(offset, offset + length, entry):
                name, address = SYMBOL.unpack_from(image, place)
                found[image[texts + name : image.index(b"\0", texts + name)]] = address
    return found
