# SPDX-License-Identifier: Apache-2.0
"""ray_map.py TRACES JOB - a task for each profile; both folders lie where all nodes see them.
Untested."""
import glob
import subprocess
import sys

import ray


@ray.remote(max_retries=3)
def rank(path, job):
    subprocess.run(['nprof', 'map', '-o', job, path], check=True)


ray.init()
ray.get([rank.remote(path, sys.argv[2]) for path in sorted(glob.glob(sys.argv[1] + '/*'))])
subprocess.run(['nprof', 'reduce', sys.argv[2]], check=True)
