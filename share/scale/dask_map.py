# SPDX-License-Identifier: Apache-2.0
"""dask_map.py TRACES JOB [SCHEDULER] - a task for each profile, on this machine or where the
scheduler sends them; both folders lie where all workers see them."""
import glob
import subprocess
import sys

from dask.distributed import Client


def rank(path, job):
    done = subprocess.run(['nprof', 'map', '-o', job, path], capture_output=True, text=True)
    if done.returncode not in (0, 3):  # 3: done, but rows were skipped
        raise RuntimeError(done.stderr)


if __name__ == '__main__':
    traces, job = sys.argv[1:3]
    with Client(*sys.argv[3:]) as client:
        client.gather(
            [
                client.submit(rank, path, job, pure=False)
                for path in sorted(glob.glob(traces + '/*'))
            ]
        )
    sys.exit(subprocess.run(['nprof', 'reduce', job]).returncode)
