# SPDX-License-Identifier: Apache-2.0
"""dask_map.py TRACES JOB - a task for each profile.  Untested."""
import glob
import subprocess
import sys

from dask.distributed import Client


def rank(path):
    subprocess.run(['nprof', 'map', '-o', sys.argv[2], path], check=True, capture_output=True)


if __name__ == '__main__':
    client = Client()
    client.gather(client.map(rank, sorted(glob.glob(sys.argv[1] + '/*'))))
    subprocess.run(['nprof', 'reduce', sys.argv[2]], check=True)
