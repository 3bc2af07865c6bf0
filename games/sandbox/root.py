"""Builds a sandbox's root, which is a copy of Python, and starts the zygote in it.

The kernel remembers which names were looked up in a file system and which pages of its files were read. Others can
detect that by timing, long after a bot's end. So bots touch no file of the host, not even the one that Python's own
code is mapped from. All that they can reach lives in a tmpfs, and disappears with the sandbox.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import resource
import socket
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from games.sandbox import namespaces, policy

# where Python looks for its standard library
LIBRARY = f"/{sys.platlibdir}/python{sys.version_info[0]}.{sys.version_info[1]}"
PYTHON = f"/bin/python{sys.version_info[0]}.{sys.version_info[1]}"
SHARED = "/lib"  # shared libraries
PACKAGE, SDK = "/games/sandbox", "/scorebook_bot.py"  # deleted before a bot runs
# our own modules that the zygote needs
ZYGOTE = (
    "address_space",
    "child_main",
    "flow_control",
    "kernel",
    "mappings",
    "namespaces",
    "policy",
    "restrict",
    "seccomp",
    "vdso",
    "zygote",
)
BOOT = "import sys; sys.path.insert(0, '/'); from games.sandbox.zygote import main; main()"
LEFT_OUT = {
    "site-packages", "dist-packages", "test", "tests", "idle_test", "idlelib", "lib2to3", "distutils", "ensurepip",
    "venv", "tkinter", "turtledemo", "pydoc_data", "lib-dynload",
}  # fmt: skip
COPIED_SUFFIXES = (".py", f".{sys.implementation.cache_tag}.pyc")
BUILD_FACTS = "_sysconfigdata"  # how and where this Python was built
SAYS_NOTHING = ("/", "/usr", "/usr/local")  # prefixes that reveal nothing of the host


def main() -> None:
    """Build the root and start the zygote.

    Arguments: the descriptor of its socket, and JSON with bot_uid, hash_seed and sdk.
    """
    control, given = int(sys.argv[1]), json.loads(sys.argv[2])
    try:
        for name in (*policy.PROMISED, *policy.ALSO_LOADED):
            with contextlib.suppress(ModuleNotFoundError):  # some Pythons lack some of these modules
                importlib.import_module(name)
        libraries = shared_libraries()
        os.umask(0o022)
        with namespaces.new_root(given["bot_uid"]) as (root, myself):
            copy_python(root, libraries)
            copy_ours(root, given["sdk"])
        os.set_inheritable(myself, True)
        known = json.dumps({"control": control, "myself": myself, "bot_uid": given["bot_uid"]})
        _become_zygote(libraries, given["hash_seed"], known)
    except BaseException as error:
        with socket.socket(fileno=control) as socket_:
            socket_.send(json.dumps({"error": f"{type(error).__name__}: {error}"[:500]}).encode())


def _become_zygote(libraries: list[str], hash_seed: int, given: str) -> None:
    loader = next(path for path in map(_inside, libraries) if os.path.basename(path).startswith("ld"))
    # Under an endless stack the kernel would choose addresses for memory below the room of `address_space`.
    limit, most = resource.getrlimit(resource.RLIMIT_STACK)
    if limit == resource.RLIM_INFINITY or limit > policy.STACK:
        resource.setrlimit(resource.RLIMIT_STACK, (policy.STACK, most))
    environment = {"PYTHONHASHSEED": str(hash_seed), "PYTHONHOME": "/"}
    python = [PYTHON, "-P", "-s", "-S", "-B", "-c", BOOT, given]  # not -I, which would ignore PYTHONHASHSEED
    os.execve(loader, [loader, "--library-path", SHARED, *python], environment)  # noqa: S606


def shared_libraries() -> list[str]:
    """Return the files from which this process loaded code, with the loader, under the names they were asked for by."""
    names: list[str] = []

    class Loaded(ctypes.Structure):
        _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]

    def note(loaded: ctypes._Pointer[Loaded], _size: int, _data: None) -> int:
        names.append(os.fsdecode(loaded.contents.name or b""))
        return 0

    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Loaded), ctypes.c_size_t, ctypes.c_void_p)
    ctypes.CDLL(None).dl_iterate_phdr(kind(note), None)
    return [name for name in names if name.startswith("/")]


def _inside(library: str) -> str:
    """Return where a library lies in the root: a module of Python in its place, any other where the loader looks."""
    stdlib = sysconfig.get_path("stdlib") + "/"
    name = library.removeprefix(stdlib)
    return f"{SHARED}/{os.path.basename(library)}" if name == library else f"{LIBRARY}/{name}"


def copy_python(root: str, libraries: list[str]) -> None:
    """Copy Python, the parts of its standard library that a bot may need, and the libraries that both have loaded."""
    _copy(sys.executable, root + PYTHON, mode=0o755)
    for library in libraries:
        _copy(library, root + _inside(library), mode=0o755)
    for file, name in _standard_library():
        if not name.startswith(BUILD_FACTS):
            _copy(file, f"{root}{LIBRARY}/{name}")
        elif name.endswith(".py"):
            Path(f"{root}{LIBRARY}/{name}").write_text("build_time_vars = {}\n")


def _standard_library() -> Iterator[tuple[str, str]]:
    """Yield the files to copy, with their names in the library."""
    library = sysconfig.get_path("stdlib")
    for folder, folders, files in os.walk(library):
        folders[:] = [name for name in folders if name not in LEFT_OUT and not name.startswith("config-")]
        for name in files:
            if name.endswith(COPIED_SUFFIXES):
                file = f"{folder}/{name}"
                yield file, file.removeprefix(f"{library}/")


def copy_ours(root: str, sdk: str) -> None:
    """Copy our own modules that the zygote needs, without any package above them."""
    _copy(sdk, root + SDK)
    for name in ZYGOTE:
        _copy(f"{os.path.dirname(__file__)}/{name}.py", f"{root}{PACKAGE}/{name}.py")
    for package in (PACKAGE, *map(str, Path(PACKAGE).parents[:-1])):
        Path(f"{root}{package}/__init__.py").touch()


def without_host_path(content: bytes, prefix: bytes) -> bytes:
    """Return a file's content with slashes for the folder that Python was installed in.

    The name after the last slash stays, because a linker lets a text that is the end of another one share its bytes:
    "3.11.7" of `sys.version` may be the end of "/home/ada/3.11.7".
    """
    folder = prefix[: prefix.rfind(b"/") + 1]
    if os.fsdecode(prefix) in SAYS_NOTHING or len(folder) < 2:
        return content
    return content.replace(prefix, prefix.replace(folder, b"/" * len(folder)))


def _copy(source: str, target: str, mode: int = 0o644) -> None:
    """Copy a file with its time, because Python compares it with that of the compiled file.

    The host's path is not copied.
    """
    with open(source, "rb") as file:
        content, changed = file.read(), os.fstat(file.fileno()).st_mtime_ns
    content = without_host_path(content, os.fsencode(sys.base_prefix))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(os.open(target, os.O_WRONLY | os.O_CREAT, mode), "wb") as file:
        file.write(content)
    os.utime(target, ns=(changed, changed))


if __name__ == "__main__":
    main()
