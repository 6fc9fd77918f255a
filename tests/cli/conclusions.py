# SPDX-License-Identifier: Apache-2.0
"""conclusions.py - what is concluded beside what was found by hand: every row of the folder
golden/conclusions beside the data, n of m of each file, where m are those whose recording is there.
Rows that differ are named, each with its reason; one that begins to agree fails as well, until its
name is taken out."""

import csv
import json
import os
import re

from harness import Skip, add_test, check_same, main, run, test

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden', 'conclusions')
FOLDERS = (
    os.path.join(GOLDEN, 'made'),
    os.path.join(GOLDEN, 'queue'),
    os.path.join(DATA, 'json'),
    os.path.join(DATA, 'xplane'),
    os.path.join(DATA, '..', 'golden', 'furiosa'),
    os.path.join(DATA, 'neu'),
    os.path.join(DATA, 'more'),
)
PARTS = (
    'compute',
    'comm',
    'copy',
    'input',
    'preprocess',
    'alloc',
    'first_use',
    'stall',
    'host',
    'launch',
    'sync',
    'wait',
    'unrecorded',
    'opaque',
    'profiler',
    'unlinked',
    'bubble',
)
csv.field_size_limit(1 << 24)


def number(text):
    return int(text) if text else None


def golden(name):
    path = os.path.join(GOLDEN, name)
    if not DATA or not os.path.exists(path):
        raise Skip('no real traces here')
    with open(path, encoding='utf-8') as file:
        return list(csv.DictReader(file, delimiter='\t'))


def find(name):
    """The recording of that name; None: it is not here."""
    return next(
        (os.path.join(f, name) for f in FOLDERS if os.path.exists(os.path.join(f, name))), None
    )


def tables(analyzers, names, *paths):
    """{table: rows} of one run."""
    out = (
        run(
            'run',
            '-q',
            *(word for a in analyzers.split() for word in ('-a', a)),
            '-s',
            f'text:format=json,top=0,tables={"?+".join(names.split())}?',
            '-o',
            '-',
            *paths,
        )
        .expect(0)
        .out
    )
    found = {name: [] for name in names.split()}
    for made in json.loads(out)['tables']:
        found[made['name']] = [dict(zip(made['columns'], row)) for row in made['rows']]
    return found


# -- Each file: what a row says, and what nprof says
# --------------------------------------------------------------------


def sanity_of(rows):
    return ';'.join(sorted(f'{r["rule"]}={r["rows"]}' for r in rows))


def judged(row, path):
    """A row of verdicts.tsv, made.tsv or nolaunch.tsv beside tables verdict and verdict_parts."""
    found = tables('steps', 'verdict verdict_parts', path)
    rows = found['verdict']
    mine = next((r for r in rows if (r['device'] or '').endswith(row['device'])), rows[0])
    if row.get('rank') and len(rows) > int(row['rank']):
        mine = rows[int(row['rank'])]  # ranks of one file, in their order
    yield row['verdict'], mine['code']
    if not row['kind']:
        return
    yield (row['kind'], row['windows'], row['left_out']), (
        mine['base'],
        str(mine['windows']),
        str(mine['left_out']),
    )
    for name in ('window', 'median', 'lag'):
        if f'{name}_ps' in row:
            yield number(row[f'{name}_ps']), mine[f'{name}_ps']
    sums = {}
    for r in found['verdict_parts']:
        if r['device'] == mine['device']:
            # The goldens count control as computing, and a capture as first use.
            part = {'control': 'compute', 'capture': 'first_use'}.get(r['part'], r['part'])
            sums[part] = sums.get(part, 0) + r['duration_ps']
    if 'launch_ps' in row:
        yield {p: int(row[f'{p}_ps']) for p in PARTS if int(row[f'{p}_ps'] or 0)}, {
            p: v for p, v in sums.items() if v
        }
        return
    for part in ('compute', 'comm', 'input', 'host'):
        yield int(row[f'{part}_ps']), sums.get(part, 0)
    # Copies that run from a start to a done beside other work are there copies as well, here what
    # waits for their ends.
    yield int(row['copy_ps']) + int(row['wait_ps']), sums.get('copy', 0) + sums.get('wait', 0)
    yield True, abs(sums.get('wait', 0) - int(row['wait_ps'])) <= 10**6


def findings(name, paths):
    """All findings of a file."""
    found = []
    for r in tables('steps', 'unsteady', *paths)['unsteady']:
        what = {
            'recompile': r['step'],
            'gc': f'{r["times"]} pauses',
            'drift': f'{r["times"]} kernels',
        }[r['code']]
        found.append((r['code'], what, str(r['duration_ps'])))
    yield sorted(
        (r['finding'], r['what'], r['ps']) for r in golden('findings.tsv') if r['file'] == name
    ), sorted(found)


def moved(row, path):
    names = (row['operator_or_copy'], 'Memcpy ' + row['operator_or_copy'])
    mine = next((r for r in tables('steps', 'moved', path)['moved'] if r['name'] in names), None)
    yield True, mine is not None
    if mine:
        yield (row['calls'], row['device_ps']), (str(mine['calls']), str(mine['duration_ps']))
        # Tensors without dimensions, which are there counted too, are a few bytes each.
        yield True, 0 <= int(row['bytes']) - mine['bytes'] <= 16 * int(row['calls'])


def neuron(row, path):
    found = tables('neuron steps', 'neuron_summary verdict', path)
    of = {r['metric']: r['value'] for r in found['neuron_summary'] if r['value'] is not None}
    for column, metric in (
        ('vendor_hfu_ppm', 'hfu_estimated_percent'),
        ('vendor_mfu_ppm', 'mfu_estimated_percent'),
        ('own_dma_ppm', 'dma_active_time_percent'),
        *(
            (f'{e}_ppm', f'{e}_engine_active_time_percent')
            for e in ('tensor', 'vector', 'scalar', 'gpsimd')
        ),
    ):
        mine = round(of.get(metric, -1) * 10**6)
        # Digits that the vendor prints, and engines by the rows of the file, which end where the
        # vendor's tool rounds them.
        yield int(row[column]), int(row[column]) if abs(mine - int(row[column])) <= (
            0 if 'fu' in column else 1000
        ) else mine
    yield row['verdict'], found['verdict'][0]['code']


def queue(row, path):
    """A path over what the device was seen to do, which is one window of critical."""
    (r,) = tables('critical', 'critical', path)['critical']
    yield int(row['window_ps']), r['duration_ps']
    yield int(row['exposed_host_ps']), r['host_ps'] + r['launch_ps']
    yield int(row['raw_host_ps']), r['host_raw_ps']
    for column in ('compute', 'copy', 'queue', 'unknown'):
        yield (column, int(row[f'{column}_ps'])), (column, r[f'{column}_ps'])


JOBS = {
    'made': [f'ranks_{i}.json' for i in range(3)],
    'groups': [f'groups_{i}.json.gz' for i in range(4)],
    'megatron-tp8': [f'megatron_kineto_{i}.json' for i in range(8)],
    'merged_all_events': ['merged_all_events.json.gz'],
}


def job(rows, paths):
    found = tables('ranks', 'job ranks', *paths)
    first, (one,) = rows[0], found['job']
    yield first['code'], one['code'] or ''
    yield 'rank ' + first['late_rank'], one['late'].partition(':')[0]
    for column, mine in (('ranks', 'ranks'), ('collectives', 'collectives'), ('told', 'waited_in')):
        yield (column, int(first[column])), (column, one[mine])
    waited = sum(r['waited_ps'] for r in found['ranks'])
    late = sorted(found['ranks'], key=lambda r: -r['waited_ps'])
    for row, r in zip(rows, late):
        yield (
            (
                int(row['late_rank']),
                int(row['late_at']),
                int(row['cost_rank_ps']),
                int(row['cost_share_ppm']),
            ),
            (r['rank'], r['last'], r['waited_ps'], 10**6 * r['waited_ps'] // max(1, waited)),
        )


def snapshot(row, path):
    found = tables('memory', 'memory memory_holders memory_failures memory_segments', path)
    one = found['memory'][0]
    yield number(row['peak_requested']), one['peak_bytes']
    yield number(row['peak_allocated_512']), one.get('peak_allocated_bytes')
    yield number(row['peak_reserved']), one['peak_reserved_bytes']
    yield number(row['end_requested']), one['end_bytes']
    yield number(row['before_requested']), one['before_bytes']
    for name, mine in (
        ('asked', 'asked'),
        ('free', 'free'),
        ('held', 'held'),
        ('reserved', 'reserved'),
    ):
        failed = found['memory_failures'][0][mine] if found['memory_failures'] else None
        yield number(row[f'oom_{name}']), failed
    for i in range(1, 4):
        if row.get(f'holder_{i}'):
            mine = found['memory_holders'][i - 1]
            yield (int(row[f'holder_{i}_bytes']), int(row[f'holder_{i}_blocks'])), (
                mine['bytes'],
                mine['count'],
            )


SAYS = {  # a sentence, and how it looks on a screen
    'no_device': r'work of hosts alone|no device activity recorded|ProfilerActivity\.CUDA would tell',
    'no_steps': r'no steps in the file',
    'no_ranges': r'no ranges in the file',
    'no_source': r'no lines of source',
    'no_shapes': r'no shapes in the file|record_shapes=True',
    'no_memory': r'memory +unknown +not in the file',
    'no_requests': r'no requests in the (file|trace)',
}
screens = {}


def not_in_file(row, path):
    if path not in screens:
        screens[path] = run('report', '--full', path).expect(0).out
    said = re.search(SAYS[row['sentence']], screens[path])
    yield '', said.group(0) if said else ''


# -- n of m
# -------------------------------------------------------------------------------------------------------------

# Rows that differ, and why.
DIFFER = {
    'made.tsv': {},
    'verdicts.tsv': {
        'hta_mtia_trace_single_rank_mtia_rank_0.json.gz 9': 'its dma_request rows have a direction and a size: copies',
    },
}


def grouped(rows, key):
    names = {}
    for row in rows:
        names.setdefault(row[key], []).append(row)
    return names


def cases(name):
    """(which, what is compared) of each row whose recordings are here."""
    rows = golden(name)
    if name == 'findings.tsv':
        for other in golden('made.tsv') + golden('verdicts.tsv'):
            path = find(other['id'])
            if path and other['rank'] in ('', '0'):
                yield other['id'], findings(other['id'], [path])
        return
    if name == 'ranks.tsv':
        for which, of in grouped(rows, 'job').items():
            paths = [find(p) for p in JOBS[which]]
            if all(paths):
                yield which, job(of, paths)
        return
    compare = {
        'bytes.tsv': moved,
        'neuron.tsv': neuron,
        'queue.tsv': queue,
        'snapshots.tsv': snapshot,
        'notinfile.tsv': not_in_file,
    }
    for row in rows:
        file = row.get('id') or row['file']
        path = find(os.path.basename(file))
        which = [row.get(k) for k in ('rank', 'device', 'operator_or_copy', 'sentence')]
        if path:
            yield ' '.join([os.path.basename(file), *(w for w in which if w)]), compare.get(
                name, judged
            )(row, path)


def differences(pairs):
    try:
        return [(want, got) for want, got in pairs if want != got]
    except (AssertionError, LookupError, ValueError, TypeError) as e:
        return [('a comparison', str(e)[:400])]


def compared(name):
    def body(_folder):
        wrong, seen = {}, []
        for which, pairs in cases(name):
            seen.append(which)
            found = differences(pairs)
            if found:
                wrong[which] = found
        if not seen:
            raise Skip('no real traces here')
        print(f'# {name}: {len(seen) - len(wrong)} of {len(seen)}')
        unexpected = {w: f for w, f in wrong.items() if w not in DIFFER.get(name, {})}
        for which, found in unexpected.items():
            print(
                f'#   {which}: '
                + '; '.join(f'expected {want}, got {got}' for want, got in found[:6])
            )
        check_same(sorted(unexpected), [], f'{name}: rows that differ')
        check_same(
            [w for w in DIFFER.get(name, {}) if w in seen and w not in wrong],
            [],
            f'{name}: rows that agree by now',
        )

    return body


# Rows whose paths differ, and why.
OTHER_PATHS = {
    'hta_triton_example_triton_example.json.gz 0': 'the step and the launch are of two processes',
    'h100_2gpu_1s.sqlite 1': 'the path is of both devices, and begins with the first',
}


@test
def paths(_folder):
    """The path of a recording without steps, or with one: its window, hosts on it beside idle
    devices, and all hosts."""
    seen, wrong = 0, {}
    for row in golden('made.tsv') + golden('verdicts.tsv'):
        path = find(row['id'])
        if not path or row['rank'] or row['kind'] not in ('span', 'step1'):
            continue
        if not row['path_window_ps']:
            continue
        seen += 1
        want = tuple(int(row[f'path_{c}_ps']) for c in ('window', 'host', 'host_raw'))
        found = [
            (r['duration_ps'], (r['host_ps'] or 0) + (r['launch_ps'] or 0), r['host_raw_ps'])
            for r in tables('critical', 'critical', path)['critical']
        ]
        if want not in found:
            wrong[f'{row["id"]} {row["device"]}'] = found
    if not seen:
        raise Skip('no real traces here')
    print(f'# paths: {seen - len(wrong)} of {seen}')
    check_same([w for w in wrong if w not in OTHER_PATHS], [], f'paths that differ: {wrong}')


for file in (
    'made',
    'verdicts',
    'nolaunch',
    'findings',
    'bytes',
    'neuron',
    'queue',
    'ranks',
    'snapshots',
    'notinfile',
):
    add_test(f'{file}.tsv', compared(f'{file}.tsv'))

main()
