# SPDX-License-Identifier: Apache-2.0
"""spark_map.py TRACES JOB - for spark-submit; both folders lie where all executors see them.
Untested."""
import glob
import subprocess
import sys

from pyspark.sql import SparkSession

traces, job = sys.argv[1:]
context = SparkSession.builder.getOrCreate().sparkContext
context.parallelize(sorted(glob.glob(traces + '/*')), 256).foreach(
    lambda path: subprocess.run(['nprof', 'map', '-o', job, path], check=True)
)
subprocess.run(['nprof', 'reduce', job], check=True)
