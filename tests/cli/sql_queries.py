# SPDX-License-Identifier: Apache-2.0
"""sql_queries.py - queries for sql.py: some that SQLite and DuckDB both know, and queries as people
publish them for Perfetto (perfetto.dev/docs, its quick start and its table reference) and for
exports of Nsight Systems (its manual's examples, nsys stats' reports, public notebooks)."""

EVENTS = [
    'select count(*) from events',
    'select count(*), count(duration_ps), count(category), count(value), count(id), count(flow) from events',
    'select kind, count(*) from events group by kind',
    'select sum(duration_ps), min(duration_ps), max(duration_ps), avg(duration_ps) from events',
    'select name, count(*), sum(duration_ps) from events group by name',
    "select name, count(*) from events where kind = 'span' group by name having count(*) > 3",
    'select category, count(*), sum(duration_ps) from events group by category',
    'select name, category, count(*), max(duration_ps) from events group by name, category',
    'select track, count(*), min(start_ps), max(start_ps) from events group by track',
    'select name, min(start_ps), max(start_ps), min(duration_ps), count(duration_ps), max(track), sum(value) from events group by name',
    'select category, max(start_ps + duration_ps), count(start_ps), min(thread) from events where start_ps > 1000 group by category',
    'select process, thread, count(*) from events group by process, thread',
    'select distinct name from events',
    'select distinct category, kind from events',
    'select distinct process from events where process is not null',
    "select count(*) from events where lower(name) like '%a%'",
    "select count(*) from events where name glob '*fusion*' or category = 'cpu_op'",
    "select count(*) from events where name = 'aten::add'",
    "select count(*) from events where name <> 'aten::add' and kind = 'span'",
    "select count(*) from events where category is null",
    "select count(*) from events where category is not null and duration_ps > 1000",
    'select count(*), sum(duration_ps) from events where track = 3',
    'select count(*), sum(duration_ps) from events where track in (2, 3, 5, 77)',
    'select count(*) from events where start_ps >= 1000000 and start_ps < 1000000000',
    'select count(*) from events where start_ps between 0 and 1000000',
    'select count(*) from events where start_ps > 2000000 and track = 4',
    'select count(*) from events where start_ps is null',
    'select start_ps, duration_ps, name from events where start_ps is not null order by start_ps, duration_ps, name, track limit 20',
    'select name, start_ps, duration_ps from events where duration_ps is not null order by duration_ps desc, start_ps, name limit 25',
    "select kind, name, start_ps from events where kind = 'instant' order by start_ps, name",
    "select name, count(*), min(value), max(value), sum(value) from events where kind = 'counter' group by name",
    "select category, flow, count(*) from events where kind = 'flow' group by category, flow order by flow limit 30",
    'select cast(start_ps / 1000000 as bigint) is not null, count(*) from events group by 1',
    'select track, name, start_ps, row_number() over (partition by track order by start_ps, duration_ps desc, name) as n from events'
    " where kind = 'span' order by track, n limit 40",
    'select name, start_ps - lag(start_ps) over (partition by name order by start_ps, track) as gap from events'
    " where kind = 'span' order by name, start_ps, track limit 60",
    'with top as (select name, sum(duration_ps) as s from events group by name order by s desc, name limit 3)'
    ' select e.name, count(*) from events e join top on top.name = e.name group by e.name',
    'select a.name, count(*) from events a join events b on a.track = b.track and b.start_ps = a.start_ps + a.duration_ps'
    " where a.kind = 'span' and b.kind = 'span' group by a.name",
    'select input, count(*) from events group by input',
    'select count(distinct name), count(distinct track), count(distinct category) from events',
    "select name, count(*) from events where process like '%0%' group by name",
    "select case when duration_ps > 1000000 then 'long' else 'short' end as l, count(*) from events where duration_ps is not null group by 1",
    'select id is not null, parent is not null, flow is not null, count(*) from events group by 1, 2, 3',
    'select count(*) from events e where exists (select 1 from tracks t where t.track = e.track and t.kind = \'queue\')',
    'select name from events union select name from events order by name limit 30',
    'select name, upper(name), length(name) from events group by name',
    "select sum(duration_ps) filter (where kind = 'span'), count(*) filter (where category is null) from events",
]

TABLES = [
    'select * from tracks',
    'select input, decoder, bytes, rows, start_ps, end_ps from inputs',
    'select t.kind, sum(t.rows), count(*) from tracks t group by t.kind',
    'select t.label, count(*), sum(e.duration_ps) from events e join tracks t on e.track = t.track group by t.label',
    'select f.key, f.value, t.label from facts f join tracks t using (track)',
    'select * from devices',
    'select device, sum(duration_ps) from gaps group by device',
    'select * from categories',
]

STEPS = [
    'select * from steps',
    'select device, max(duration_ps) from steps group by device',
    'select operator, level, self_ps from operators where self_ps is not null',
    "select o.level, count(*), sum(o.total_ps) from operators o group by o.level",
    'select step, count(*), sum(duration_ps) from events where step is not null group by step',
    'select hlo_category, count(*), sum(flops) from events group by hlo_category',
    "select name, max(flops), min(bytes_accessed) from events where flops is not null group by name",
    'select name, calls, p99_ps from latency where calls > 2',
]

PERFETTO = [
    'SELECT * FROM slice LIMIT 10',
    'SELECT ts, dur, name FROM slice ORDER BY dur DESC LIMIT 10',
    'SELECT name, COUNT(*) AS count, SUM(dur) AS total_dur, AVG(dur) AS avg_dur FROM slice GROUP BY name ORDER BY total_dur DESC',
    'SELECT thread.name AS thread_name, slice.name, slice.ts, slice.dur FROM slice JOIN thread_track ON slice.track_id = thread_track.id'
    ' JOIN thread USING (utid) WHERE slice.dur > 1000',
    'SELECT tid, thread.name, process.pid, process.name AS process_name FROM thread LEFT JOIN process USING (upid)',
    'SELECT s.name AS slice_name, t.tid, t.name AS thread_name, p.name AS process_name FROM slice s INNER JOIN thread_track tt ON s.track_id = tt.id'
    ' INNER JOIN thread t ON tt.utid = t.utid INNER JOIN process p ON t.upid = p.upid',
    'SELECT child.name AS child, parent.name AS parent FROM slice child JOIN slice parent ON child.parent_id = parent.id',
    'SELECT slice_out.name AS from_name, slice_in.name AS to_name, slice_in.ts - slice_out.ts AS delay FROM flow'
    ' JOIN slice slice_out ON flow.slice_out = slice_out.id JOIN slice slice_in ON flow.slice_in = slice_in.id',
    "SELECT EXTRACT_ARG(arg_set_id, 'args.correlation') AS correlation, name, dur FROM slice WHERE category = 'kernel'",
    "SELECT EXTRACT_ARG(arg_set_id, 'debug.stream') AS stream, SUM(dur) FROM slice WHERE cat = 'kernel' GROUP BY stream",
    "SELECT slice.name, args.key, args.int_value FROM slice JOIN args USING (arg_set_id) WHERE slice.cat = 'kernel' AND args.int_value IS NOT NULL",
    'SELECT ts, value, t.name FROM counter c LEFT JOIN counter_track t ON c.track_id = t.id ORDER BY ts',
    'SELECT t.name, MIN(value), MAX(value), AVG(value) FROM counter c JOIN process_counter_track t ON c.track_id = t.id GROUP BY t.name',
    'SELECT (MAX(ts + dur) - MIN(ts)) / 1e6 AS trace_ms FROM slice',
    "SELECT name, dur / 1e3 AS us, dur * 100.0 / SUM(dur) OVER () AS percent FROM slice WHERE depth = 0 AND dur > 0 ORDER BY dur DESC LIMIT 20",
    "SELECT name, ts, LEAD(ts) OVER (PARTITION BY track_id ORDER BY ts) - ts - dur AS gap FROM slice WHERE cat = 'kernel'",
    'SELECT trace_end() - trace_start() AS dur',
    'SELECT track.name, COUNT(*) FROM slice JOIN track ON slice.track_id = track.id GROUP BY track.name',
]

# The second says whether the export itself gives the same rows to the same query.
NSYS = [
    (
        'SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL'.replace(
            'end -', '"end" -'
        ),
        True,
    ),
    (
        'SELECT s.value AS name, COUNT(*) AS instances, SUM(k."end" - k.start) AS total_ns, AVG(k."end" - k.start) AS avg_ns,'
        ' MIN(k."end" - k.start), MAX(k."end" - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON k.demangledName = s.id'
        ' GROUP BY s.value ORDER BY total_ns DESC',
        True,
    ),
    (
        'SELECT copyKind, COUNT(*), SUM(bytes), SUM("end" - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY copyKind',
        True,
    ),
    ('SELECT COUNT(*), SUM(bytes) FROM CUPTI_ACTIVITY_KIND_MEMSET', True),
    (
        'SELECT streamId, COUNT(*), SUM("end" - start) FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY streamId',
        True,
    ),
    (
        'SELECT (globalPid >> 24) & 0x00FFFFFF AS pid, COUNT(*) FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY pid',
        True,
    ),
    (
        'SELECT (globalTid >> 24) & 0x00FFFFFF AS pid, globalTid & 0x00FFFFFF AS tid, COUNT(*), SUM("end" - start) FROM'
        ' CUPTI_ACTIVITY_KIND_RUNTIME GROUP BY pid, tid',
        True,
    ),
    (
        'SELECT k.start - r."end" AS delay, k.correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON'
        ' r.correlationId = k.correlationId AND (r.globalTid >> 24) = (k.globalPid >> 24) ORDER BY delay DESC, 2 LIMIT 10',
        True,
    ),
    (
        'SELECT text, COUNT(*), SUM("end" - start) FROM NVTX_EVENTS WHERE eventType = 59 GROUP BY text ORDER BY 3 DESC',
        True,
    ),
    (
        'SELECT s.value, COUNT(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON r.nameId = s.id WHERE s.value LIKE '
        "'%LaunchKernel%' GROUP BY s.value",
        False,
    ),
    (
        'SELECT MIN(start), MAX("end"), MAX("end") - MIN(start) FROM CUPTI_ACTIVITY_KIND_KERNEL',
        True,
    ),
    (
        'SELECT gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, dynamicSharedMemory, COUNT(*) FROM CUPTI_ACTIVITY_KIND_KERNEL'
        ' GROUP BY 1, 2, 3, 4, 5, 6, 7, 8',
        True,
    ),
    (
        'SELECT name, totalMemory, memoryBandwidth, smCount, clockRate FROM TARGET_INFO_GPU WHERE id < 2 ORDER BY id',
        True,
    ),
    (
        'SELECT start, "end", LEAD(start) OVER (PARTITION BY deviceId, streamId ORDER BY start) - "end" AS gap FROM'
        ' CUPTI_ACTIVITY_KIND_KERNEL WHERE (globalPid >> 24) & 0xFFFFFF = 1000 ORDER BY gap DESC, start LIMIT 10',
        True,
    ),
    (
        'SELECT n.text, COUNT(*) FROM NVTX_EVENTS n JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.globalTid = n.globalTid AND r.start >= n.start'
        " AND r.\"end\" <= n.\"end\" WHERE n.text LIKE 'step%' GROUP BY n.text",
        True,
    ),
    (
        'SELECT s.value, COUNT(*), SUM(o."end" - o.start) FROM OSRT_API o JOIN StringIds s ON o.nameId = s.id GROUP BY 1',
        True,
    ),
    ('SELECT globalPid, pid FROM PROCESSES WHERE pid >= 1000', True),
    (
        "SELECT m.label, COUNT(*), SUM(c.bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY c JOIN ENUM_CUDA_MEMCPY_OPER m ON m.id = c.copyKind GROUP BY 1",
        False,
    ),
]
