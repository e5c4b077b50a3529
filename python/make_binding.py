"""Writes the C source of repose._binding from the public headers: every function, structure and constant of the C API.

Usage: make_binding.py COMPILER INCLUDE_FOLDER OUTPUT_C SOURCE_C...

cffi reads the declarations as the preprocessor leaves them, so nothing here names a single one of them. Callbacks are the
exception: Python functions that C may call have to be declared one by one.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import cffi

SYSTEM_HEADERS = ["stdarg", "stdbool", "stddef", "stdint", "stdio", "math", "string"]

# Called from C with the handle of a Python object as their context; callbacks.py defines them.
CALLBACKS = """
extern "Python" {
    void repose_on_log(void *context, int level, const char *text);
    void repose_on_text(void *context, const char *text);
    bool repose_on_proceed(void *context);
    bool repose_on_each(void *context, const rps_world *world);
    void repose_on_progress(void *context, const rps_run_progress *progress);
    void repose_on_check(void *context, const rps_check_row *row);
    void repose_on_probe(void *context, const rps_probe_row *row);
    bool repose_on_law(void *context, int count, double dt, const double *constant, double *const *lane);
    void repose_on_sweep(void *context, const rps_sweep_progress *progress);
}
"""


def declarations(compiler: list[str], include: str) -> str:
    """The public headers without comments, macros and attributes."""
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM_HEADERS:  # their types are known to cffi
            (Path(empty) / f"{name}.h").touch()
        command = [*compiler, "-E", "-P", "-nostdinc", f"-I{empty}", f"-I{include}", f"{include}/repose/repose.h"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return re.sub(r'__attribute__\(\((visibility\("default"\)|format\([^)]*\))\)\)', "", text)


def public_part(source: str) -> str:
    """The declarations that a C file marks for Python: what lies between its two markers."""
    return source.split("/* python: */")[1].split("/* end */")[0]


def main() -> None:
    end = next(k for k, argument in enumerate(sys.argv) if argument.endswith("_binding.c"))
    *compiler, include, output = sys.argv[1 : end + 1]
    sources = [Path(path).read_text(encoding="utf-8") for path in sys.argv[end + 1 :]]
    builder = cffi.FFI()
    builder.cdef(declarations(compiler, include))
    for source in sources:
        builder.cdef(public_part(source))
    builder.cdef(CALLBACKS)
    builder.set_source("repose._binding", "\n".join(["#include <repose/repose.h>", *sources]), py_limited_api=True)
    builder.emit_c_code(output)


if __name__ == "__main__":
    main()
