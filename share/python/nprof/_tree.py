# SPDX-License-Identifier: Apache-2.0
"""Where libnprof and the program nprof are: those that this package was installed with, by the
tarball, the wheel or Debian's packages, before others."""

import glob
import os
import shutil


def _own():
    """Returns libnprof and the program of the nearest folder above the package that has both."""
    folder = os.path.dirname(os.path.realpath(__file__))
    while folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        program = os.path.join(folder, "bin", "nprof")
        for below in ("lib", "lib64", "lib/*"):
            found = glob.glob(os.path.join(glob.escape(folder), below, "libnprof.so.0"))
            if found and os.path.isfile(program):
                return found[0], program
    return None, None


def library():
    """Returns the path of libnprof, or a name that the system's loader knows."""
    return os.environ.get("NPROF_LIBRARY") or _own()[0] or "libnprof.so.0"


def program():
    """Returns the path of the program; None: there is none."""
    return os.environ.get("NPROF") or _own()[1] or shutil.which("nprof")
