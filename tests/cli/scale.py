# SPDX-License-Identifier: Apache-2.0
"""scale.py - nprof map and nprof reduce: the same rows as of all profiles at once, however states
are taken together; ranks that are missing, damaged, doubled or of another job; what launchers
say."""

import json
import os
import random
import shutil
import subprocess
import sys
from decimal import Decimal

from harness import (
    NPROF,
    Skip,
    add_test,
    check,
    check_same,
    environment,
    main,
    read,
    rows_of,
    run,
    test,
    write,
)

sys.path.insert(0, os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools'))
import ranks  # noqa: E402

JOB = {'steps': 2, 'layers': 3, 'stall': {(3, 1, 1): 800_000}}


def make(folder='traces', only=None, **how):
    ranks.make(folder, ranks.Job(**{**JOB, **how}), only)


def mapped(job='job', *arguments, traces='traces', env=None):
    return run('map', *arguments, '-o', job, traces, env=env).expect(0, err='')


def state(number, job='job'):
    return os.path.join(job, 'states', f'rank-{number:05d}.nps')


def states(job='job'):
    folder = os.path.join(job, 'states')
    return {name: read(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}


def folder_of(path):
    return {
        name: read(os.path.join(path, name))
        for name in sorted(os.listdir(path))
        if name.endswith('.csv')
    }


TABLES = (
    'job',
    'rank_spread',
    'stragglers',
    'ranks',
    'clocks',
    'groups',
    'job_collectives',
    'rank_steps',
    'step_skew',
    'rank_operators',
)


def check_equal_tables(a, b):
    for name in TABLES:
        check_same(a[name + '.csv'], b[name + '.csv'], name)


@test
def reduce_says_what_a_run_over_all_says(_folder):
    make(hosts=2, keys='none')
    mapped()
    run('run', '-q', '-a', 'ranks', '-s', 'csv', '-o', 'all', 'traces').expect(0)
    run('reduce', '-s', 'csv', '-o', 'taken', 'job').expect(0, err='')
    check_equal_tables(folder_of('all'), folder_of('taken'))
    run('reduce', 'job').expect(0, out=['Stragglers', '* host *rank 3'])
    for name, format in (
        ('a.md', 'markdown'),
        ('a.html', 'html'),
        ('a.json', 'json'),
        ('a.txt', 'plain'),
    ):
        page = run('reduce', '--format', format, 'job').expect(0).out
        run('reduce', '-o', name, 'job').expect(0, out='', err='')
        check_same(read(name).decode(), page, name)
    run('reduce', '-o', 'a.pdf', 'job').expect(
        1, out='', err='*-o a.pdf: no .pdf is written here: let the name end in *'
    )


@test
def the_page_begins_with_the_job_and_ends_with_what_has_many_rows(_folder):
    make(hosts=2)
    mapped()
    run('reduce', '-s', 'csv', '-o', 'out', 'job').expect(0)
    lines = run('reduce', 'job').expect(0).out.splitlines()
    check_same(
        [line for line in lines if line and line[0] not in ' NA'],
        [
            'Job',
            'Stragglers',
            'Steps over ranks',
            'Times of ranks',
            'Operators whose ranks differ most',
            'Ranks',
            'Clocks',
        ],
        'tables',
    )
    heads = [
        words
        for above, words in zip(lines, map(str.split, lines[1:]))
        if above and above[0] not in ' NA'
    ]
    check_same(
        [heads[0][0], {head[0] for head in heads[1:]} & {'input'}],
        ['input', set()],
        'the job is named once',
    )
    check('(ncclDevKernelArgs' not in '\n'.join(lines), 'names of functions are short')
    rows = rows_of(read('out/rank_operators.csv'))
    for row in rows:
        check_same(
            Decimal(row['spread_ns']),
            Decimal(row['max_ns']) - Decimal(row['p50_ns']),
            row['operator'],
        )
    most = sorted(rows, key=lambda row: -Decimal(row['spread_ns']))[:5]
    at = lines.index('Operators whose ranks differ most') + 2
    check_same(
        [line.split()[-1] for line in lines[at : at + 5]],
        [row['operator'].partition('(')[0].split()[-1] for row in most],
        'operators',
    )


@test
def percentiles_of_operators_are_exact(_folder):
    """Above 2^53 ps, 2.5 hours, a double would lose the last digit."""
    times = [2**53 + 2 * rank + 1 for rank in (5, 2, 7, 0, 3, 6, 1, 4)]  # ps
    make()
    for rank, name in enumerate(sorted(os.listdir('traces'))):
        path = os.path.join('traces', name)
        trace = json.loads(read(path))
        kernel = next(e for e in trace['traceEvents'] if e.get('cat') == 'kernel')
        end = max(e['ts'] + e.get('dur', 0) for e in trace['traceEvents'] if 'ts' in e)
        trace['traceEvents'].append(
            {
                **kernel,
                'name': 'long',
                'ts': end + 1000,
                'dur': 'DUR',
                'args': {'device': kernel['args']['device'], 'stream': kernel['args']['stream']},
            }
        )
        write(
            path,
            json.dumps(trace)
            .replace('"DUR"', f'{times[rank] // 10 ** 6}.{times[rank] % 10 ** 6:06}')
            .encode(),
        )
    rows = rows_of(
        run('run', '-q', '-a', 'ranks', '-s', 'csv:table=rank_operators', '-o', '-', 'traces')
        .expect(0)
        .out
    )
    row = next(row for row in rows if row['operator'] == 'long')
    times.sort()
    want = [times[3], times[7], times[7], times[7], times[7] - times[3]]  # rank ceil (8 x q)
    check_same(
        [
            int(Decimal(row[name]) * 1000)
            for name in ('p50_ns', 'p90_ns', 'p99_ns', 'max_ns', 'spread_ns')
        ],
        want,
        f'{row}',
    )


def check_trees():
    """However the states of the traces are taken together, the bytes are the same."""
    mapped()
    run('reduce', '--partial', '-o', 'all.nps', 'job').expect(0, err='')
    for seed in range(3):
        rnd, parts = random.Random(seed), [state(r) for r in range(8)]
        rnd.shuffle(parts)
        for number in range(len(parts) - 1):
            pair = [parts.pop(rnd.randrange(len(parts))), parts.pop(rnd.randrange(len(parts)))]
            parts.append(f'part-{seed}-{number}.nps')
            run('reduce', '--partial', '-o', parts[-1], *pair).expect(0, err='')
        check(read(parts[0]) == read('all.nps'), f'tree {seed} gives other bytes')


@test
def any_tree_of_states_gives_the_same_bytes(_folder):
    make(seed=5)
    check_trees()
    run('reduce', '-s', 'csv', '-o', 'a', 'job').expect(0)
    run('reduce', '-s', 'csv', '-o', 'b', 'all.nps').expect(0)
    check_equal_tables(folder_of('a'), folder_of('b'))


@test
def any_tree_of_ranks_of_which_some_have_no_date_gives_the_same_bytes(_folder):
    """On one host, whose clock the others share: of a call it keeps one start, the last."""
    make(seed=5)
    for rank in (2, 5):
        path = f'traces/rank{rank:05d}.json'
        trace = json.loads(read(path))
        del trace['baseTimeNanoseconds']
        write(path, json.dumps(trace))
    check_trees()


@test
def a_new_rank_joins_without_the_others(_folder):
    make()
    mapped()
    run('reduce', '--partial', '-o', 'old.nps', *(state(r) for r in range(7))).expect(0)
    run('reduce', '--partial', '-o', 'all.nps', 'old.nps', state(7)).expect(0)
    run('reduce', 'all.nps').expect(0, err='')
    run('reduce', 'old.nps').expect(
        2,
        err='nprof: error: ranks that are missing: 7 (of 8 ranks): map them, or say --allow-missing',
    )


@test
def missing_ranks_are_named(_folder):
    make(hosts=2)
    mapped()
    for rank in (3, 8, 9, 10, 15):
        os.remove(state(rank))
    run('reduce', 'job').expect(
        2, out='', err='nprof: error: ranks that are missing: 3, 8-10, 15 (of 16 ranks): *'
    )
    run('reduce', '--allow-missing', '-s', 'csv', '-o', 'out', 'job').expect(
        3, err='*missing: 3, 8-10, 15 (of 16 ranks)'
    )
    rows = rows_of(read('out/ranks.csv').decode())
    check_same(
        [row['rank'] for row in rows if row['state'] == 'missing'],
        ['3', '8', '9', '10', '15'],
        'missing rows',
    )
    check_same(len(read('out/stragglers.csv').splitlines()), 1, 'rows of stragglers')
    (job,) = rows_of(read('out/job.csv'))
    most = max(rows, key=lambda row: int(row['waited_ns'] or 0))
    check_same(
        [job[name] for name in ('ranks', 'expected', 'missing', 'incomplete', 'late')],
        [
            *('11', '16', '3, 8-10, 15', 'none'),
            f'rank {most["rank"]}: cause unknown, less than a tenth of the steps',
        ],
        'the job',
    )
    run('reduce', '--allow-missing', 'job').expect(
        3, out=['Job', '* 11 * 16 *3, 8-10, 15*rank *', 'Steps over ranks', 'Times of ranks']
    )
    run('reduce', '--ranks', '12', 'job').expect(2, err='*rank 14 is none of 12 ranks*')


@test
def a_job_of_many_ranks_makes_no_more_rows_than_it_has(_folder):
    make(only=[0, 3])
    for name in os.listdir('traces'):
        path = os.path.join('traces', name)
        write(path, read(path).replace(b'"world_size":8', b'"world_size":2000000000'))
    run('map', '-o', 'job', 'traces').expect(0)
    run('reduce', 'job').expect(2, err='*missing: 1-2, 4-1999999999 (of 2000000000 ranks)*')
    run('reduce', '--allow-missing', '-s', 'csv', '-o', 'few', 'job').expect(
        3, err='*1999998973 ranks more are missing*'
    )
    rows = [row['rank'] for row in rows_of(read('few/ranks.csv'))]
    check_same(
        (rows[:5], rows[-2:], len(rows)),
        (['0', '1', '2', '3', '4'], ['1025', '1999999999'], 1027),
        'ranks',
    )


@test
def damaged_states_are_all_named(_folder):
    make()
    mapped()
    content = bytearray(read(state(2)))
    content[len(content) // 2] ^= 4
    write(state(2), bytes(content))
    write(state(5), read(state(5))[:40])
    write(state(6), b'')
    result = run('reduce', '--allow-missing', 'job')
    result.expect(
        2, out='', err=[f'nprof: error: job/states/rank-0000{r}.nps: *' for r in (2, 5, 6)]
    )


@test
def any_byte_that_changes_is_noticed(_folder):
    make(only=[0], steps=1, layers=1)
    mapped()
    content = read(state(0))
    for at in range(0, len(content), max(1, len(content) // 12)):
        changed = bytearray(content)
        changed[at] ^= 1
        write('changed.nps', bytes(changed))
        result = run('reduce', '--ranks', '1', 'changed.nps')
        check(result.status in (1, 2), f'byte {at}: {result.describe()}')


@test
def a_later_version_is_named(_folder):
    make(only=[0])
    mapped()
    content = bytearray(read(state(0)))
    content[7] = 9
    write(state(0), bytes(content))
    run('reduce', 'job').expect(
        1, err='*rank-00000.nps: a state of version 9, this nprof knows version 1: *'
    )


@test
def a_rank_counts_once(_folder):
    make()
    mapped()
    shutil.copy(state(3), 'z-again.nps')
    result = run('reduce', '-s', 'csv', '-o', 'twice', 'job', 'z-again.nps')
    result.expect(
        0,
        err='*z-again.nps: all its ranks are in job/states/rank-00003.nps already: it is skipped',
    )
    run('reduce', '-s', 'csv', '-o', 'once', 'job').expect(0)
    check_equal_tables(folder_of('once'), folder_of('twice'))
    make('other', only=[3], seed=9)
    mapped('job2', traces='other')
    run('reduce', 'job', state(3, 'job2')).expect(
        2, err='*rank 3 is in * and in * with other content: *'
    )
    run('reduce', '--partial', '-o', 'a.nps', state(0), state(1)).expect(0)
    run('reduce', '--partial', '-o', 'b.nps', state(1), state(2)).expect(0)
    run('reduce', '--partial', '-o', 'c.nps', 'a.nps', 'b.nps').expect(
        2, err='*have rank 1 both, and each has others: *'
    )


@test
def two_jobs_in_one_folder_never_mix(_folder):
    make('a')
    make('b', seed=2)
    mapped(traces='a')
    before = states()
    result = run('map', '-o', 'job', 'b')
    result.expect(
        2,
        err='*rank-00000.nps: it is there already, of another profile (rank00000.json): another job? *',
    )
    check(states() == before, 'states of the first job have changed')
    make('c', hosts=2, only=range(8, 16))
    mapped(traces='c')
    run('reduce', 'job').expect(2, err='*rank 8 is of a job of 16 ranks, the others of one of 8: *')


@test
def a_job_of_another_day_is_told_by_its_time(_folder):
    make(only=range(4))
    mapped()
    for name in ('traces', 'later'):
        os.makedirs(name, exist_ok=True)
    make('later', only=range(4, 8))
    for name in os.listdir('later'):
        text = read(os.path.join('later', name)).replace(
            b'1760000000000000000', b'1760086400000000000'
        )
        write(os.path.join('later', name), text)
    mapped(traces='later')
    run('reduce', 'job').expect(
        2, err='*rank 4 (rank00004.json) was recorded 14* minutes after others: *'
    )


@test
def other_options_are_refused(_folder):
    make()
    mapped()
    mapped('job', '--force', '--step', '1', traces='traces/rank00002.json')
    run('reduce', 'job').expect(
        1,
        err='*rank-00002.nps: made with "ranks --step 1", the others with "ranks": map all ranks alike',
    )


@test
def a_rerun_gives_the_same_bytes(_folder):
    make()
    mapped()
    before = states()
    write('job/states/.rank-00003.nps.4711', b'half of a state')
    os.remove(state(3))
    mapped()
    check(states() == {**before, '.rank-00003.nps.4711': b'half of a state'}, 'states differ')
    run('reduce', 'job').expect(0, err='')


@test
def what_cannot_be_read_does_not_stop_the_others(_folder):
    make()
    write('traces/rank00004.json', read('traces/rank00004.json')[:5000])
    run('map', '-o', 'job', 'traces').expect(2, err='*rank00004.json*')
    check_same(sorted(states()), [f'rank-{r:05d}.nps' for r in range(8) if r != 4], 'states')


@test
def the_rank_is_found_or_asked_for(_folder):
    make(only=[0, 5])
    os.mkdir('plain')
    for rank, name in ((0, 'x0'), (5, 'x5')):
        text = read(f'traces/rank{rank:05d}.json').replace(b'"rank":', b'"rang":')
        write(f'plain/{name}.json', text)
    run('map', '-o', 'job', 'plain').expect(
        1, err='*x0.json: nobody says which rank *: say it with --rank*'
    )
    for rank, why in (
        ('5', '*there are 2 inputs: *'),
        ('x', '*expected a number, or a regular expression with a group*'),
    ):
        check_same(
            len(
                run('map', '-o', 'job', '--rank', rank, 'plain').expect(1, err=why).err.splitlines()
            ),
            1,
            'it is said once',
        )
    run('map', '-o', 'job', '--rank', 'y([0-9])', 'plain').expect(
        2, err='*x0.json: --rank y* finds no number*'
    )
    run('map', '-o', 'job', '--rank', 'x([0-9])', 'plain').expect(0)
    check_same(sorted(states()), ['rank-00000.nps', 'rank-00005.nps'], 'states')
    os.mkdir('mixed')
    write('mixed/rank-5.json', read('traces/rank00005.json'))
    write('mixed/notes.txt', b'what we tried')
    run('map', '-o', 'mixed-job', 'mixed').expect(0, err='')
    check_same(
        os.listdir('mixed-job/states'),
        ['rank-00005.nps'],
        'a file that is no profile is skipped',
    )
    run('map', '-o', 'none', 'mixed/notes.txt').expect(
        2, err='*notes.txt: is text, but no decoder knows this format*'
    )
    os.remove('mixed/rank-5.json')
    run('map', '-o', 'none', 'mixed').expect(
        2, err='nprof: error: no profile of a rank found (1 file looked at): *'
    )
    pipe = run('map', '-o', 'pipe', '--rank', '7', '-', stdin=read('plain/x5.json')).expect(0)
    check_same(sorted(states('pipe')), ['rank-00007.nps'], pipe.describe())
    run('map', '-o', 'pipe', '--rank', '7', '-', stdin=read('plain/x5.json')).expect(
        2, err='*rank-00007.nps: it is there already, *'
    )
    run('map', '-o', 'pipe', '--rank', '7', '--force', '-', stdin=read('plain/x5.json')).expect(0)


@test
def an_analyzer_of_the_user_is_taken_together_too(_folder):
    make()
    mapped('job', '-a', 'latency')
    run('reduce', '-s', 'csv:table=latency', '-o', '-', 'job').expect(0, out='*gemm_fwd*')
    run('map', '-a', 'flame', '-o', 'job', 'traces').expect(
        1, err='*-a flame: *cannot be taken together*'
    )
    run('reduce', '-a', 'latency', 'job').expect(1, err='*say it to nprof map*')


# -- Other analyzers
# ------------------------------------------------------------------------------------------

ANALYZERS = ('device', 'operators', 'steps', 'mfu', 'collectives')
OF_THE_FILE = (
    'inputs',
    'tracks',
    'facts',
    'skipped',
    'input_steps',
    'hlo_instructions',
    'planes',
    'program_memory',
)


def one_by_one(files, analyzers):
    """The states of the files, mapped by themselves, in one state: by a tree that chance grows."""
    rnd = random.Random(' '.join(files))
    for rank, file in enumerate(files):
        run('map', '-q', '--rank', str(rank), *analyzers, '-o', 'job', file).expect(0)
    parts = [state(rank) for rank in range(len(files))]
    while len(parts) > 1:
        pair = [parts.pop(rnd.randrange(len(parts))) for _ in range(2)]
        parts.append(f'part-{len(parts)}.nps')
        run('reduce', '-q', '--partial', '-o', parts[-1], *pair).expect(0)
    return parts[0]


def without_places(verdict):
    """A state says of which device the first screen of its rank would be, a run over all says it of
    all ranks."""
    return [
        {name: cell for name, cell in row.items() if name != 'place'} for row in rows_of(verdict)
    ]


def check_analyzers(files, analyzers=ANALYZERS):
    asked = [word for name in analyzers for word in ('-a', name)]
    run('run', '-q', *asked, '-s', 'csv', '-o', 'all', *files).expect(0)
    result = run('reduce', '--allow-missing', '-s', 'csv', '-o', 'taken', one_by_one(files, asked))
    check(result.status in (0, 3), result.describe())
    found, taken = folder_of('all'), folder_of('taken')
    tables = [
        name for name in found if name not in ('events.csv', *(n + '.csv' for n in OF_THE_FILE))
    ]
    check(len(tables) >= 10, f'few tables: {tables}')
    if 'verdict.csv' in found:
        check_same(
            without_places(taken['verdict.csv']), without_places(found['verdict.csv']), 'verdict'
        )
    for name in set(tables) - {'verdict.csv'}:
        rows = list(zip(taken.get(name, b'').splitlines(), found[name].splitlines()))
        check(
            taken.get(name) == found[name],
            f'{name} differs: {[pair for pair in rows if pair[0] != pair[1]][:1]}',
        )
    check(sum(found[name].count(b'\n') > 1 for name in tables) >= 6, 'hardly a table has rows')


@test
def tables_of_other_analyzers_are_those_of_a_run_over_all(_folder):
    make(hosts=1, offset_ms=20)
    check_analyzers(sorted(os.path.join('traces', name) for name in os.listdir('traces'))[:4])


def of_real_traces(path):
    def body(_folder):
        folder = os.environ.get('NPROF_TEST_DATA')
        if not folder:
            raise Skip('NPROF_TEST_DATA is not set')
        names = [f'{letter}-{os.path.basename(path)}' for letter in 'ab']
        for name in names:
            shutil.copyfile(os.path.join(folder, path), name)
        check_analyzers(names)

    return body


for what, path in {
    'shapes': 'json/tracelens_tests_traces_h100_gaunernst_bert-small-uncased__1016001.json.gz',
    'amd': 'json/hta_amd_trace_mi250_minitoy_train_ROCm6_2_kineto.json.gz',
    'xla': 'xplane/gpu_mi300_jax08_gemm.xplane.pb',
}.items():
    add_test('tables-of-real-traces-' + what, of_real_traces(path))


@test
def real_job(_folder):
    folder = os.environ.get('NPROF_RANKS_REAL', '')
    files = [f'megatron_kineto_{rank}.json' for rank in range(8)]
    if not all(os.path.exists(os.path.join(folder, name)) for name in files):
        raise Skip('NPROF_RANKS_REAL names no folder that has it')
    for name in files:
        os.symlink(os.path.join(folder, name), name)
    check_analyzers(files, (*ANALYZERS, 'ranks'))


@test
def a_state_is_of_the_options_of_its_analyzer(_folder):
    make(only=[0, 1])
    files = sorted(os.path.join('traces', name) for name in os.listdir('traces'))
    check_analyzers(files, ('latency:by=process', 'device:gap=0', 'steps:cut=in', 'operators'))


@test
def ranks_in_folders_keep_their_names(_folder):
    make(only=[0, 1])
    for rank in range(2):
        os.makedirs(f'jobs/rank{rank}')
        os.rename(f'traces/rank{rank:05d}.json', f'jobs/rank{rank}/trace.json')
    mapped('whole', '-a', 'device', traces='jobs')
    out = (
        run('reduce', '-q', '--allow-missing', '-s', 'csv:table=devices', '-o', '-', 'whole')
        .expect(3)
        .out
    )
    check_same(
        [row.split(',')[0] for row in out.splitlines()[1:]],
        ['rank0/trace.json', 'rank1/trace.json'],
        'inputs',
    )
    for rank in range(2):
        mapped('apart', '-a', 'device', traces=f'jobs/rank{rank}/trace.json')
    run('reduce', '--allow-missing', 'apart').expect(
        2, err='*ranks 0 and 1 are both of an input called trace.json*'
    )


@test
def partitions_lie_where_engines_look_for_them(_folder):
    make(only=[2, 7])
    mapped('job', '-s', 'parquet', '-a', 'device')
    for rank in (2, 7):
        result = run(
            'run', '-s', 'csv:table=events', '-o', '-', f'job/events/rank={rank}/part-0.parquet'
        )
        result.expect(0)
        check_same(
            len(result.out.splitlines()),
            len(
                run(
                    'run', '-s', 'csv:table=events', '-o', '-', f'traces/rank{rank:05d}.json'
                ).out.splitlines()
            ),
            'rows',
        )
        check(
            os.path.exists(f'job/devices/rank={rank}/part-0.parquet'), 'tables lie beside the rows'
        )
        calls = rows_of(
            run(
                'run',
                '-q',
                '-s',
                'csv:table=collective_calls',
                '-o',
                '-',
                f'job/collective_calls/rank={rank}/part-0.parquet',
            )
            .expect(0)
            .out.encode()
        )
        check_same({row['rank'] for row in calls}, {str(rank)}, 'rank of collective_calls')
        check(
            all(row['sequence'] and not row['ordinal'] and row['exposed_ns'] for row in calls),
            'their numbers',
        )
    check_same([n for n in os.listdir('job') if n.startswith('.')], [], 'left over')


# -- Clocks
# ---------------------------------------------------------------------------------------------------


def events(files, *arguments):
    """Rows with a time: absolute start and end in ns, the rest of the row."""
    shutil.rmtree('events', ignore_errors=True)
    run('run', '-q', *arguments, '-s', 'csv', '-o', 'events', *files).expect(0)
    rows = rows_of(read('events/events.csv'))
    origin = int(rows_of(read('events/inputs.csv'))[0]['origin_unix_ns'])
    return [
        (
            origin + Decimal(row['start_ns']),
            origin + Decimal(row['start_ns']) + Decimal(row['duration_ns'] or 0),
            row['input'],
            row['name'],
        )
        for row in rows
        if row['kind'] == 'span'
    ]


@test
def times_of_all_ranks_are_told_by_one_clock(_folder):
    how = {'hosts': 3, 'offset_ms': 20, 'ppm': 20, 'only': [1, 9, 20]}
    make('traces', **{**how, 'only': None})
    make('true', **{**how, 'offset_ms': 0, 'ppm': 0})
    mapped()
    run('reduce', '-s', 'csv', '-o', 'tables', 'job').expect(0)
    files = [f'rank{r:05d}.json' for r in how['only']]
    true = events([os.path.join('true', f) for f in files])
    off = events([os.path.join('traces', f) for f in files])
    found = events([os.path.join('traces', f) for f in files], '--clocks', 'tables/clocks.csv')
    check_same([row[2:] for row in found], [row[2:] for row in true], 'rows')
    error = [max(abs(a[0] - b[0]), abs(a[1] - b[1])) for a, b in zip(found, true)]
    check(max(error) <= 15000, f'times are wrong by {max(error)} ns')
    check(
        max(abs(a[0] - b[0]) for a, b in zip(off, true)) > 1_000_000,
        'clocks hardly differ without it',
    )


CLOCKS = 'input,clock,ranks,offset_ns,at_unix_ns,drift_ppm,component\njob,"rank 1",1,{offset},{at},{drift},1\njob,rank 2,1,,,,0\n'


@test
def a_clock_is_corrected_to_the_picosecond(_folder):
    make('traces', only=[1, 2], named_hosts=False)
    files = [f'traces/rank{r:05d}.json' for r in (1, 2)]
    before = events(files)
    at = int(before[0][0]) - 5_000_000
    write('clocks.csv', CLOCKS.format(offset='-1234.567', at=at, drift='1000'))
    after = events(files, '--clocks', 'clocks.csv')
    for was, now in zip(before, after):
        for k in range(2):
            right = (
                was[k] + Decimal('1234.567') - (was[k] - at) / 1000 if '00001' in was[2] else was[k]
            )
            check(abs(now[k] - right) <= Decimal('0.002'), f'{now} should be {right}')
    run('run', '--clocks', 'clocks.csv', '-s', 'null', *files).expect(
        0, err='*rank 2*stay as they are*'
    )


@test
def clocks_of_another_job_are_refused(_folder):
    make('traces', only=[1])
    for text, why in (
        (CLOCKS.format(offset='x', at=1, drift=''), '*line 2: column offset_ns is "x"*'),
        (CLOCKS.format(offset='1', at='', drift=''), '*column at_unix_ns*'),
        (CLOCKS.format(offset='1', at='1', drift='1e9'), '*drift below 1 %*'),
        (
            CLOCKS.format(offset='1', at='1', drift=''),
            '*its clock is node0000, and --clocks has none*',
        ),
        ('clock,offset_ns\nrank 1,0\n', '*line 1: column at_unix_ns*'),
        ('', '*clocks.csv of nprof reduce*'),
        ('clock,offset_ns,at_unix_ns,drift_ppm\n', '*a line for each clock*'),
        ('clock,offset_ns,at_unix_ns,drift_ppm\na,,,\na,,,\n', '*each clock once*'),
        ('clock,offset_ns,at_unix_ns,drift_ppm\n"a,,,\n', '*CSV*'),
    ):
        write('clocks.csv', text)
        run('run', '--clocks', 'clocks.csv', '-s', 'null', 'traces').expect(2, err=why)
    run('run', '--clocks', 'none.csv', '-s', 'null', 'traces').expect(2, err='*none.csv*')


# -- Launchers
# -----------------------------------------------------------------------------------------------

SHARDS = {
    'slurm': [{'SLURM_PROCID': str(k), 'SLURM_NTASKS': '3'} for k in range(3)],
    'mpich': [{'PMI_RANK': str(k), 'PMI_SIZE': '3'} for k in range(3)],
    'open-mpi': [{'OMPI_COMM_WORLD_RANK': str(k), 'OMPI_COMM_WORLD_SIZE': '3'} for k in range(3)],
    'slurm-array': [
        {
            'SLURM_ARRAY_TASK_ID': str(10 + k),
            'SLURM_ARRAY_TASK_MIN': '10',
            'SLURM_ARRAY_TASK_COUNT': '3',
            'SLURM_PROCID': '0',
            'SLURM_NTASKS': '1',
        }
        for k in range(3)
    ],
}


def shards(env):
    def body(_folder):
        make(steps=1, layers=1)
        mapped('whole')
        for one in env:
            mapped('job', '--shard', 'auto', env=one)
        check(states() == states('whole'), 'states differ')

    return body


for launcher, env in SHARDS.items():
    add_test('shard-auto-' + launcher, shards(env))


@test
def shards_by_hand(_folder):
    make(steps=1, layers=1)
    for k in range(3):
        mapped('job', '--shard', f'{k}/3')
    check_same(len(states()), 8, 'states')
    run('map', '--shard', '11/12', '-o', 'job', 'traces').expect(
        0, err='*shard 11 of 12: no input is left for it'
    )
    for bad in ('3/3', 'x', '1', '-1/2'):
        run('map', '--shard=' + bad, '-o', 'job', 'traces').expect(1, err='*expected K/N*')
    run('map', '--shard', 'auto', '-o', 'job', 'traces').expect(
        1, err='*no launcher says which task this is*'
    )


@test
def gnu_parallel(_folder):
    if (
        not shutil.which('parallel')
        or b'GNU'
        not in subprocess.run(['parallel', '--version'], capture_output=True, check=False).stdout
    ):
        raise Skip('GNU parallel is not installed')
    make(steps=1, layers=1)
    mapped('whole')
    files = sorted(os.path.join('traces', name) for name in os.listdir('traces'))
    done = subprocess.run(
        ['parallel', '--will-cite', '-j2', NPROF, 'map', '-o', 'job', '{}', ':::', *files],
        env={**environment(), 'HOME': os.getcwd()},
        capture_output=True,
        check=False,
    )
    check_same(done.returncode, 0, done.stderr)
    check(states() == states('whole'), 'states differ')


main()
