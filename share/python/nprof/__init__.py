# SPDX-License-Identifier: Apache-2.0
"""nprof for Python: reads profiles of AI accelerators with the decoders and analyzers of nprof.

    import nprof
    profile = nprof.open("trace.json.gz", analyzers=["operators"])
    profile.table("operators").to_pandas()
    profile.events(columns=["name", "duration_ps"], names=["*gemm*"]).to_pandas()

Tables and events speak the Arrow PyCapsule interface, so any library that takes Arrow takes them.
"""

from ._ask import Answer
from ._library import Error, NprofWarning, version as _version
from .profile import Profile, open
from .result import Events, Table

__all__ = ["Answer", "Error", "Events", "NprofWarning", "Profile", "Table", "open"]
__version__ = _version()
