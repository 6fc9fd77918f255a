# SPDX-License-Identifier: Apache-2.0
"""collective-logs.py - dumps of PyTorch's Flight Recorder and what hung in them, logs of NCCL's
Inspector and who was late: made jobs whose culprit is known, rows against the files as Python reads
them, hostile files."""

import collections
import json
import os
import pickle
import random
import shutil
import sys

from harness import check, check_same, main, read, rows_of, run, test, write

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import collective_make  # noqa: E402
from collective_make import MS, S  # noqa: E402


def hang(*inputs):
    (row,) = rows_of(
        run('run', '-q', '-a', 'hang', '-s', 'csv:table=hang', '-o', '-', *inputs).expect(0).out
    )
    return row


def events(*inputs):
    return rows_of(run('run', '-s', 'csv', '-o', '-', *inputs).expect(0).out)


@test
def rows_of_a_dump(_folder):
    """Each entry against the dump: names, groups, sequences, exact times."""
    for seed in range(4):
        job = collective_make.Job(seed)
        job.write_dumps('fr')
        for rank in range(job.n):
            dump = job.dump(rank)
            if not dump:
                continue
            rows = events(f'fr/nccl_trace_rank_{rank}')
            base = min(e['time_created_ns'] for e in dump['entries']) // S * S
            wanted = []
            for e in dump['entries']:
                done = 'duration_ms' in e
                start = e['time_discovered_started_ns'] if done else e['time_created_ns']
                wanted.append(
                    (
                        e['profiling_name'],
                        str(start - base),
                        str(round(e['duration_ms'] * MS)) if done else '',
                        e['process_group'][0],
                        str(e['p2p_seq_id' if e['is_p2p'] else 'collective_seq_id']),
                        e['state'],
                        e['input_dtypes'][0],
                        str(e['input_sizes'][0][0]),
                        f'/home/me/train.py:{e["frames"][0]["line"]}',
                        f'{e["process_group"][1]} ({e["process_group"][0]})',
                        f'rank {rank}',
                    )
                )
            found = [
                (
                    r['name'],
                    r['start_ns'],
                    r['duration_ns'],
                    r['group'],
                    r['sequence'],
                    r['state'],
                    r['dtype'],
                    r['elements_in'],
                    r['source'],
                    r['thread'],
                    r['process'],
                )
                for r in rows
            ]
            check_same(
                collections.Counter(found), collections.Counter(wanted), f'seed {seed}, rank {rank}'
            )
        shutil.rmtree('fr')


@test
def who_hung_it(_folder):
    """Every way to hang, several jobs of each: cause, group, sequence and culprit, of pickles, of
    JSON, in any order."""
    for seed in range(32):
        job = collective_make.Job(seed, collective_make.CAUSES[seed % len(collective_make.CAUSES)])
        for folder, as_json in (('fr', False), ('js', True)):
            shutil.rmtree(folder, ignore_errors=True)
            job.write_dumps(folder, as_json)
            row, what = hang(folder), f'seed {seed} {job.cause} {folder}'
            check_same(row['cause'], job.cause, what)
            if job.cause == 'none':
                check(not row['group'] and not row['rank'], f'{what}: {row}')
                continue
            named, group = job.named(), job.stuck.group
            sequence = 1 if job.cause == 'p2p' else job.stuck.sequence
            check_same(
                (row['rank'], row['group'], row['sequence']),
                (
                    '' if named is None else str(named),
                    f'{group.desc} ({group.name})',
                    str(sequence),
                ),
                what,
            )
            waits = (
                [group.ranks[job.waits]]
                if job.cause == 'p2p'
                else [k for k in group.ranks if k != named]
            )
            check_same(row['waiting'], ', '.join(map(str, waits)), what)
            if not as_json and named is not None and job.cause != 'crashed':
                last = job.dump(named)['entries'][-1]
                if job.cause in ('order', 'size', 'dtype'):  # the call itself, others lie behind it
                    last = next(e for e in job.dump(named)['entries'] if e['state'] == 'started')
                check_same(row['source'], f'/home/me/train.py:{last["frames"][0]["line"]}', what)
        files = sorted(os.listdir('fr'), reverse=True)
        again = hang(*(os.path.join('fr', name) for name in files))
        check_same(
            {**again, 'input': ''}, {**hang('fr'), 'input': ''}, f'seed {seed}: the other order'
        )


@test
def the_first_screen(_folder):
    job = next(j for j in (collective_make.Job(seed, 'missing') for seed in range(9)) if j.n > 2)
    job.write_dumps('fr')
    name = collective_make.KINDS[job.stuck.kind][0]
    out = run('report', 'fr').expect(0).out
    words = ' '.join(out.split())
    check(
        words.index(
            f'HUNG: {name} {job.stuck.sequence} of {job.stuck.group.desc} ({job.stuck.group.name}): '
            f'rank {job.culprit} never came; it is in /home/me/train.py:'
        )
        < 60,
        out,
    )
    check('(timeout 600 s)' in words and 'hosts alone' not in words, out)
    run('report', '--findings', 'fr').expect(0, out='*HUNG: *does not end:*')
    shutil.rmtree('fr')
    collective_make.Job(3, 'none').write_dumps('fr')
    run('report', 'fr').expect(
        0,
        out='*nothing hung: none of the * calls that the dumps hold is started and not completed*',
    )


def save(name, dump):
    write(name, pickle.dumps(dump, protocol=2))


@test
def what_is_not_known(_folder):
    """Rings that have turned, dumps without names or groups, and of two jobs: no culprit is made
    up."""
    job = next(j for j in (collective_make.Job(seed, 'network') for seed in range(9)) if j.n > 2)
    dumps = [job.dump(rank) for rank in range(job.n)]
    mine, group = job.stuck.group.ranks[0], job.stuck.group.name
    dumps[mine]['entries'] = [
        {**e, 'record_id': e['record_id'] + 500}
        for e in dumps[mine]['entries']
        if e['process_group'][0] != group
    ]
    for rank, dump in enumerate(dumps):
        save(f'rank_{rank}', dump)
    row = hang(*(f'rank_{rank}' for rank in range(job.n)))
    check_same((row['cause'], row['rank']), ('unknown', ''), row)
    check('the ring of rank' in row['reason'], row)
    save('rank', job.dump(1))
    check("name of rank does not end in the number" in hang('rank')['reason'], 'a dump of no rank')
    save('other_0', job.dump(0))
    check('are both of rank 0' in hang('rank_0', 'other_0')['reason'], 'two of a rank')
    other = job.dump(1)
    other['pg_config']['0']['ranks'] = '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]'
    save('two_1', other)
    save('two_0', job.dump(0))
    check('group 0 has other ranks in' in hang('two_0', 'two_1')['reason'], 'two jobs')
    old = job.dump(0)
    del old['pg_config']
    for e in old['entries']:
        e['state'] = 'started' if e['state'] == 'scheduled' else e['state']
    save('old_0', old)
    check('is not known: no dump has pg_config' in hang('old_0')['reason'], 'an old dump')
    save('empty_0', {'version': '2.4', 'pg_config': {}, 'entries': []})
    check_same(hang('empty_0')['cause'], 'none', 'an empty ring')


@test
def long_collectives(_folder):
    """One of hours is as long as its dump says; one of months cannot be."""
    job = next(j for j in (collective_make.Job(seed) for seed in range(9)) if j.dump(0))
    dump = job.dump(0)
    first = next(e for e in dump['entries'] if 'duration_ms' in e)
    first['duration_ms'] = 3.0 * 3600 * 1000
    save('long_0', dump)
    check(str(3 * 3600 * S) in [r['duration_ns'] for r in events('long_0')], 'three hours')
    first['duration_ms'] = 91.0 * 24 * 3600 * 1000
    save('months_0', dump)
    check_same(len(events('months_0')), len(dump['entries']) - 1, 'months')


class Evil:
    def __reduce__(self):
        return os.system, ('echo run >ran',)


@test
def hostile(_folder):
    """Cut, changed, deep, and with code in it: an error that names the byte, and nothing is run."""
    job, r = collective_make.Job(5), random.Random(5)
    dump = job.dump(0)
    save('bad_0', {**dump, 'version': Evil()})
    run('run', '-s', 'null', 'bad_0').expect(
        2,
        err='*bad_0: byte *: this dump of PyTorch\'s Flight Recorder cannot be read on: opcode 0x* would call*',
    )
    check(not os.path.exists('ran'), 'it was run')
    job.write_dumps('js', True)
    for name in ('whole_0', 'js/rank_0.json'):
        save('whole_0', dump)
        whole = read(name)
        for cut in [r.randrange(2, len(whole)) for _ in range(6)]:
            write('bad_0', whole[:cut])
            run('run', '-d', 'flight-recorder', '-s', 'null', 'bad_0').expect(
                2, err='*bad_0: byte *'
            )
        for _ in range(12):
            data = bytearray(whole)
            for _ in range(r.choice((1, 4, 40))):
                data[r.randrange(2, len(data))] = r.randrange(256)
            write('bad_0', bytes(data))
            result = run('run', '-a', 'hang', '-d', 'flight-recorder', '-s', 'null', 'bad_0')
            check(
                result.status in (0, 2) and (result.status == 0 or 'bad_0: byte ' in result.err),
                result.describe(),
            )
    write('deep_0', b'{"pg_config": ' + b'[' * 100000 + b']' * 100000 + b', "entries": []}')
    run('run', '-s', 'null', 'deep_0').expect(
        2, err='*deep_0: byte *: *too deep within each other*'
    )
    for text in (
        '{"pg_config": {}, "pg_status": {}}',
        '{"pg_config": {}, "entries": 5}',
        '{"pg_config": {}, "entries": [], }',
    ):
        write('small_0', text)
        run('run', '-s', 'null', '-d', 'flight-recorder', 'small_0').expect(
            2, err='*small_0: byte *'
        )
    write(
        'odd_0',
        json.dumps(
            {
                'pg_config': {},
                'entries': [
                    5,
                    {},
                    {'time_created_ns': -1},
                    {'time_created_ns': 1770000000 * S, 'state': 'started'},
                ],
            }
        ),
    )
    rows = rows_of(run('run', '-s', 'csv', '-o', '-', 'odd_0').expect(0).out)
    check_same([r['name'] for r in rows], ['collective without a name'], 'rows that can be read')
    left = rows_of(run('run', '-s', 'csv:table=skipped', '-o', '-', 'odd_0').expect(0).out)
    check_same(
        sorted(r['reason'] for r in left),
        ['it has no time_created_ns', 'it is no dict'],
        'what is left out',
    )


# -- NCCL Inspector -------------------------------------------------------------------------------


def log_rows(*inputs):
    return rows_of(run('run', '-s', 'csv:table=collective_log', '-o', '-', *inputs).expect(0).out)


def log_row(line):
    """The columns of a line, from the object itself."""
    h, m = line['header'], line['metadata']
    p, kind = (line['coll_perf'], 'coll') if 'coll_perf' in line else (line['p2p_perf'], 'p2p')
    name = h.get('comm_name', 'unknown')
    return (
        h['id'],
        '' if name == 'unknown' else name,
        str(h['rank']),
        str(h['n_ranks']),
        p[kind],
        str(p[kind + '_sn']),
        str(p.get('p2p_peer', '')),
        m['hostname'],
        str(m['pid']),
        str(p[kind + '_msg_size_bytes']),
        str(1000 * p[kind + '_exec_time_us']),
    )


@test
def lines_of_a_log(_folder):
    """Each line against the object that it is; verbose ones are spans as well, between their
    kernels' first and last."""
    for seed in range(3):
        job = collective_make.Job(seed)
        job.write_logs('plain')
        job.write_logs('verbose', True)
        for rank in range(job.n):
            lines = job.lines(rank, True)
            name = f'node{rank // 4}-pid{5000 + rank}.log'
            for folder in ('plain', 'verbose'):
                rows = log_rows(f'{folder}/{name}')
                check_same(
                    [tuple(list(r.values())[1:12]) for r in rows],
                    [log_row(line) for line in lines],
                    f'{seed} {folder} {name}',
                )
                for row, line in zip(rows, lines):
                    for column, key in (('algbw', 'coll_algobw_gbs'), ('busbw', 'coll_busbw_gbs')):
                        check(
                            abs(float(row[column]) - 1e9 * line['coll_perf'][key]) < 2,
                            f'{row} {line}',
                        )
            check_same(events(f'plain/{name}'), [], 'a log without times has no spans')
            base = lines[0]['metadata']['dump_timestamp_us'] // 10**6 * 10**6
            wanted = []
            for line in lines:
                kernels = line['coll_perf']['event_trace_ts']['kernel_events']
                start, stop = min(k['kernel_start_ts'] for k in kernels), max(
                    k['kernel_stop_ts'] for k in kernels
                )
                wanted.append(
                    (
                        line['coll_perf']['coll'],
                        str(1000 * (start - base)),
                        str(1000 * (stop - start)),
                        line['header']['id'],
                        str(line['coll_perf']['coll_sn']),
                        str(line['coll_perf']['coll_msg_size_bytes']),
                    )
                )
            found = [
                (
                    r['name'],
                    r['start_ns'],
                    r['duration_ns'],
                    r['communicator'],
                    r['sequence'],
                    r['bytes'],
                )
                for r in events(f'verbose/{name}')
            ]
            check_same(collections.Counter(found), collections.Counter(wanted), f'spans of {name}')
        shutil.rmtree('plain')
        shutil.rmtree('verbose')


@test
def time_0_of_a_log(_folder):
    """It is the second in which the first line was written, in Unix time, though its kernels ran
    in one before."""
    job = collective_make.Job(1)
    line = job.lines(0, True)[0]
    written = (line['metadata']['dump_timestamp_us'] // 10**6 + 5) * 10**6 + 700
    line['metadata']['dump_timestamp_us'] = written
    write('one.log', json.dumps(line).encode() + b'\n')
    start = min(k['kernel_start_ts'] for k in line['coll_perf']['event_trace_ts']['kernel_events'])
    (row,) = rows_of(run('run', '-q', '-s', 'csv:table=inputs', '-o', '-', 'one.log').expect(0).out)
    check_same(row['origin_unix_ns'], str((written - 700) * 1000), 'origin')
    check_same(
        [r['start_ns'] for r in events('one.log')], [str(1000 * (start - written + 700))], 'row'
    )


def lateness(job):
    """By rank: in how many collectives that wait for all it is, to how many it came last, us that
    others waited for it."""
    found = {k: [0, 0, 0] for k in range(job.n)}
    for call in job.calls:
        if 2 * call.count < 8192 or call.kind == 'Broadcast' or len(call.group.ranks) < 2:
            continue
        us = {k: call.microseconds(k) for k in call.group.ranks}
        last = min(us, key=us.get)
        for k in us:
            found[k][0] += 1
        if max(us.values()) - us[last] > 50 and max(us.values()) // 2 > us[last]:
            found[last][1] += 1
            found[last][2] += sum(t - us[last] for t in us.values())
    return found


@test
def who_was_late(_folder):
    for seed in range(12):
        job = collective_make.Job(seed)
        job.write_logs('plain')
        rows = rows_of(
            run('run', '-a', 'late-ranks', '-s', 'csv:table=late_ranks', '-o', '-', 'plain')
            .expect(0)
            .out
        )
        wanted = lateness(job)
        found = {
            int(r['pid'])
            - 5000: [int(r['collectives']), int(r['last'] or 0), int(r['caused_ns'] or 0) // 1000]
            for r in rows
        }
        check_same(found, {k: v for k, v in wanted.items() if k in found}, f'seed {seed}')
        check(
            all(job.lines(k) == [] for k in wanted if k not in found),
            f'seed {seed}: a rank without a row',
        )
        shutil.rmtree('plain')
    job.write_logs('plain')
    worst = max(wanted, key=lambda k: wanted[k][2])
    out = ' '.join(run('report', 'plain').expect(0).out.split())
    check(
        f'LATE: rank {worst} (node{worst // 4}, pid {5000 + worst}) came last to {wanted[worst][1]} of {wanted[worst][0]} collectives'
        in out,
        out,
    )
    run('report', 'plain/node0-pid5000.log').expect(
        0, out='*who was late is not known: no collective of it has the lines of all ranks*'
    )


@test
def sends_and_old_lines(_folder):
    """The examples of NCCL's own page in shape: sends, no name, no timing source; and numbers that
    are not in the file."""
    head = {
        'header': {'id': '0x7f8c496ae9f661', 'rank': 2, 'n_ranks': 8, 'nnodes': 1},
        'metadata': {
            'inspector_output_format_version': 'v4.0',
            'git_rev': '',
            'dump_timestamp_us': 1748030377748202,
            'hostname': 'h',
            'pid': 7,
        },
    }
    lines = [
        {
            **head,
            'coll_perf': {
                'coll': 'AllReduce',
                'coll_sn': n,
                'coll_msg_size_bytes': 17179869184,
                'coll_exec_time_us': 61974,
                'coll_algobw_gbs': 277.21,
                'coll_busbw_gbs': 485.11,
            },
        }
        for n in (1407, 1409)
    ]
    lines += [
        {
            **head,
            'p2p_perf': {
                'p2p': 'Send',
                'p2p_sn': 5,
                'p2p_peer': peer,
                'p2p_msg_size_bytes': 64,
                'p2p_exec_time_us': 9,
                'p2p_algobw_gbs': 0.1,
                'p2p_busbw_gbs': 0.1,
            },
        }
        for peer in (3, 0)
    ]
    write('a.log', ''.join(json.dumps(line) + '\r\n' for line in lines))
    rows = log_rows('a.log')
    check_same(
        [tuple(list(r.values())[1:12]) for r in rows], [log_row(line) for line in lines], 'lines'
    )
    check_same(
        [(r['timing'], r['busbw']) for r in rows[:2]], [('', '485110000000')] * 2, 'bandwidth'
    )
    (row,) = rows_of(
        run('run', '-a', 'late-ranks', '-s', 'csv:table=late_ranks', '-o', '-', 'a.log')
        .expect(0)
        .out
    )
    check_same(
        (row['numbers'], row['missing'], row['lines'], row['last']),
        ('1410', '1408', '4', ''),
        'numbers',
    )


@test
def damaged_logs(_folder):
    """A last line that was cut off is left out with a warning; any other is an error with its line
    and byte."""
    job, r = collective_make.Job(4), random.Random(4)
    job.write_logs('plain')
    whole = read('plain/node0-pid5000.log')
    n = len(whole.splitlines())
    write('cut.log', whole[:-30])
    result = run('run', '-s', 'csv:table=collective_log', '-o', '-', 'cut.log').expect(
        0, err=f'*line {n}, the last one, is cut off*'
    )
    check_same(len(rows_of(result.out)), n - 1, 'lines before it')
    lines = whole.splitlines(keepends=True)
    lines[2] = lines[2][:50] + b'\n'
    write('bad.log', b''.join(lines))
    at = len(lines[0]) + len(lines[1])
    result = run('run', '-s', 'null', 'bad.log').expect(
        2, err='*bad.log: byte *: line 3 of this log of NCCL cannot be read: *'
    )
    byte = int(result.err.split('byte ')[1].split(':')[0])
    check(at <= byte <= at + 51, result.err)
    kept = run(
        'run', '--keep-going', '-s', 'csv:table=collective_log', '-o', '-', 'bad.log'
    ).expect(3)
    check_same(len(rows_of(kept.out)), n - 1, 'lines around it')
    for _ in range(20):
        data = bytearray(whole)
        for _ in range(r.choice((1, 4, 40))):
            data[r.randrange(len(data))] = r.randrange(256)
        write('odd.log', bytes(data))
        result = run('run', '-a', 'late-ranks', '-d', 'nccl-inspector', '-s', 'null', 'odd.log')
        check(
            result.status in (0, 2) and (result.status == 0 or 'odd.log: byte ' in result.err),
            result.describe(),
        )
    write('none.log', '\n\n')
    run('run', '-s', 'null', '-d', 'nccl-inspector', 'none.log').expect(
        2, err='*byte 0: no line of this file is a collective*'
    )


main()
