# SPDX-License-Identifier: Apache-2.0
"""bench_databases.py - the decoders of SQLite databases beside SQLite alone, which steps over the
same columns of the same tables once and keeps nothing; and their memory at three sizes.

User and system CPU together: nprof maps what SQLite reads by system calls."""

import os
import sqlite3
import subprocess
import sys

from measure import BUDGET_ANON_MB, Run, interleaved

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools')
SEED = 7
# What rows are made of where nobody wants an attribute; tables of rocpd are named by their
# beginnings.
COLUMNS = {
    'ascend': {
        'STRING_IDS': 'id,value',
        'COMPUTE_TASK_INFO': 'globalTaskId,name,taskType,opType,inputShapes,blockDim',
        'COMMUNICATION_TASK_INFO': 'globalTaskId',
        'STEP_TIME': 'id,startNs,endNs',
        'CANN_API': 'startNs,endNs,type,globalTid,name,connectionId',
        'PYTORCH_API': 'startNs,endNs,type,globalTid,name',
        'TASK': 'startNs,endNs,deviceId,connectionId,globalTaskId,taskType,streamId',
        'COMMUNICATION_OP': 'startNs,endNs,opName,connectionId,groupName,count,dataType',
    },
    'rocpd': {
        'rocpd_string_': 'id,string',
        'rocpd_event_': 'id,stack_id,category_id,extdata',
        'rocpd_region_': 'start,"end",pid,tid,event_id,name_id',
        'rocpd_sample_': 'timestamp,track_id,event_id',
        'rocpd_pmc_event_': 'event_id,pmc_id,value',
        'rocpd_kernel_dispatch_': 'start,"end",pid,tid,agent_id,queue_id,stream_id,event_id,'
        'kernel_id,dispatch_id',
        'rocpd_memory_copy_': 'start,"end",pid,tid,queue_id,stream_id,event_id,name_id,'
        'dst_agent_id,src_agent_id,size',
        'rocpd_memory_allocate_': 'start,"end",pid,tid,agent_id,event_id,type,level,address,size',
    },
    'nsys': {
        'StringIds': 'id,value',
        'CUPTI_ACTIVITY_KIND_KERNEL': 'start,"end",deviceId,streamId,correlationId,globalPid,'
        'shortName',
        'CUPTI_ACTIVITY_KIND_MEMCPY': 'start,"end",deviceId,streamId,correlationId,globalPid,'
        'bytes,copyKind',
        'CUPTI_ACTIVITY_KIND_MEMSET': 'start,"end",deviceId,streamId,correlationId,globalPid,bytes',
        'CUPTI_ACTIVITY_KIND_RUNTIME': 'start,"end",globalTid,correlationId,nameId',
        'NVTX_EVENTS': 'start,"end",eventType,text,globalTid,textId,domainId',
        'OSRT_API': 'start,"end",globalTid,nameId',
        'GPU_METRICS': 'timestamp,typeId,metricId,value',
    },
}


def made(bench, kind, megabytes):
    path = bench.path(f'{kind}-{megabytes}.db')
    if not os.path.exists(path):
        subprocess.run(
            [sys.executable, os.path.join(TOOLS, 'database_grow.py')]
            + [kind, str(SEED), str(megabytes), path],
            check=True,
        )
    return path


def tables(path, kind):
    """The tables with their columns, as arguments."""
    db = sqlite3.connect(path)
    names = [name for (name,) in db.execute("select name from sqlite_schema where type = 'table'")]
    db.close()
    found = []
    for beginning, columns in COLUMNS[kind].items():
        name = next(name for name in names if name.startswith(beginning))
        found += [name, columns]
    return found


def measure(bench):
    for kind in COLUMNS:
        speed(bench, kind, made(bench, kind, 300))
        memory(bench, kind)


def speed(bench, kind, path):
    runs = interleaved(
        {
            'sqlite': ([bench.built('tests/bench/sqlite-read'), path, *tables(path, kind)], None),
            'rows': (bench.nprof_run(path, 'null', kind), None),
            'wanted': (bench.nprof_run(path, 'drain', kind), bench.with_drain),
        },
        bench.rounds,
    )
    what = f'{os.path.getsize(path) / 1e6:.0f} MB of {kind}, rows, CPU: nprof / SQLite alone'
    for key, name, goal in (('rows', what, '<= 1.5'), ('wanted', '  with all attributes', '')):
        bench.ratio(name, runs, key, 'sqlite', goal, of='cpu')


def memory(bench, kind):
    """At three sizes: what grows with the file is seen in the largest."""
    for megabytes in (50, 150, 300):
        run = Run(bench.nprof_run(made(bench, kind, megabytes), 'null', kind), poll=True)
        bench.report.add(
            f'memory, {megabytes} MB of {kind} -> null, own',
            run.anon_kb / 1024,
            'MiB',
            f'<= {BUDGET_ANON_MB}',
            'RssAnon + RssShmem',
        )
