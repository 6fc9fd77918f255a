# SPDX-License-Identifier: Apache-2.0
"""collective-logs.py - dumps of PyTorch's Flight Recorder and what hung in them: made jobs whose culprit is known,
rows against the dumps as Python reads them, hostile files."""

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
    row, = rows_of(run('run', '-q', '-a', 'hang', '-s', 'csv:table=hang', '-o', '-', *inputs).expect(0).out)
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
                wanted.append((e['profiling_name'], str(start - base), str(round(e['duration_ms'] * MS)) if done else '',
                               e['process_group'][0], str(e['p2p_seq_id' if e['is_p2p'] else 'collective_seq_id']), e['state'],
                               e['input_dtypes'][0], str(e['input_sizes'][0][0]), f'/home/me/train.py:{e["frames"][0]["line"]}',
                               f'{e["process_group"][1]} ({e["process_group"][0]})', f'rank {rank}'))
            found = [(r['name'], r['start_ns'], r['duration_ns'], r['group'], r['sequence'], r['state'], r['dtype'], r['elements_in'],
                      r['source'], r['thread'], r['process']) for r in rows]
            check_same(collections.Counter(found), collections.Counter(wanted), f'seed {seed}, rank {rank}')
        shutil.rmtree('fr')


@test
def who_hung_it(_folder):
    """Every way to hang, several jobs of each: cause, group, sequence and culprit, of pickles, of JSON, in any order."""
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
            check_same((row['rank'], row['group'], row['sequence']),
                       ('' if named is None else str(named), f'{group.desc} ({group.name})', str(sequence)), what)
            waits = [group.ranks[job.waits]] if job.cause == 'p2p' else [k for k in group.ranks if k != named]
            check_same(row['waiting'], ', '.join(map(str, waits)), what)
            if not as_json and named is not None and job.cause != 'crashed':
                last = job.dump(named)['entries'][-1]
                if job.cause in ('order', 'size', 'dtype'):  # the call itself, others lie behind it
                    last = next(e for e in job.dump(named)['entries'] if e['state'] == 'started')
                check_same(row['source'], f'/home/me/train.py:{last["frames"][0]["line"]}', what)
        files = sorted(os.listdir('fr'), reverse=True)
        again = hang(*(os.path.join('fr', name) for name in files))
        check_same({**again, 'input': ''}, {**hang('fr'), 'input': ''}, f'seed {seed}: the other order')


@test
def the_first_screen(_folder):
    job = next(j for j in (collective_make.Job(seed, 'missing') for seed in range(9)) if j.n > 2)
    job.write_dumps('fr')
    name = collective_make.KINDS[job.stuck.kind][0]
    out = run('report', 'fr').expect(0).out
    words = ' '.join(out.split())
    check(words.index(f'HUNG: {name} {job.stuck.sequence} of {job.stuck.group.desc} ({job.stuck.group.name}): '
                      f'rank {job.culprit} never came; it is in /home/me/train.py:') < 60, out)
    check('(timeout 600 s)' in words and 'hosts alone' not in words, out)
    run('report', '--findings', 'fr').expect(0, out='*HUNG: *does not end:*')
    shutil.rmtree('fr')
    collective_make.Job(3, 'none').write_dumps('fr')
    run('report', 'fr').expect(0, out='*nothing hung: none of the * calls that the dumps hold is started and not completed*')


def save(name, dump):
    write(name, pickle.dumps(dump, protocol=2))


@test
def what_is_not_known(_folder):
    """Rings that have turned, dumps without names or groups, and of two jobs: no culprit is made up."""
    job = next(j for j in (collective_make.Job(seed, 'network') for seed in range(9)) if j.n > 2)
    dumps = [job.dump(rank) for rank in range(job.n)]
    mine, group = job.stuck.group.ranks[0], job.stuck.group.name
    dumps[mine]['entries'] = [{**e, 'record_id': e['record_id'] + 500} for e in dumps[mine]['entries'] if e['process_group'][0] != group]
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


class Evil:
    def __reduce__(self):
        return os.system, ('echo run >ran',)


@test
def hostile(_folder):
    """Cut, changed, deep, and with code in it: an error that names the byte, and nothing is run."""
    job, r = collective_make.Job(5), random.Random(5)
    dump = job.dump(0)
    save('bad_0', {**dump, 'version': Evil()})
    run('run', '-s', 'null', 'bad_0').expect(2, err='*bad_0: byte *: this dump of PyTorch\'s Flight Recorder cannot be read on: opcode 0x* would call*')
    check(not os.path.exists('ran'), 'it was run')
    job.write_dumps('js', True)
    for name in ('whole_0', 'js/rank_0.json'):
        save('whole_0', dump)
        whole = read(name)
        for cut in [r.randrange(2, len(whole)) for _ in range(6)]:
            write('bad_0', whole[:cut])
            run('run', '-d', 'flight-recorder', '-s', 'null', 'bad_0').expect(2, err='*bad_0: byte *')
        for _ in range(12):
            data = bytearray(whole)
            for _ in range(r.choice((1, 4, 40))):
                data[r.randrange(2, len(data))] = r.randrange(256)
            write('bad_0', bytes(data))
            result = run('run', '-a', 'hang', '-d', 'flight-recorder', '-s', 'null', 'bad_0')
            check(result.status in (0, 2) and (result.status == 0 or 'bad_0: byte ' in result.err), result.describe())
    write('deep_0', b'{"pg_config": ' + b'[' * 100000 + b']' * 100000 + b', "entries": []}')
    run('run', '-s', 'null', 'deep_0').expect(2, err='*deep_0: byte *: *too deep within each other*')
    for text in ('{"pg_config": {}, "pg_status": {}}', '{"pg_config": {}, "entries": 5}', '{"pg_config": {}, "entries": [], }'):
        write('small_0', text)
        run('run', '-s', 'null', '-d', 'flight-recorder', 'small_0').expect(2, err='*small_0: byte *')
    write('odd_0', json.dumps({'pg_config': {}, 'entries': [5, {}, {'time_created_ns': -1}, {'time_created_ns': 1770000000 * S, 'state': 'started'}]}))
    rows = rows_of(run('run', '-s', 'csv', '-o', '-', 'odd_0').expect(0).out)
    check_same([r['name'] for r in rows], ['collective without a name'], 'rows that can be read')
    left = rows_of(run('run', '-s', 'csv:table=skipped', '-o', '-', 'odd_0').expect(0).out)
    check_same(sorted(r['reason'] for r in left), ['it has no time_created_ns', 'it is no dict'], 'what is left out')


main()
