# SPDX-License-Identifier: Apache-2.0
"""The program nprof, which some of the package's functions run."""

import os
import shutil


def program():
    """Returns its path: NPROF, or what PATH has; None: there is none."""
    return os.environ.get("NPROF") or shutil.which("nprof")
