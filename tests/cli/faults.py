# SPDX-License-Identifier: Apache-2.0
"""faults.py - nprof while the machine fails it: no memory, no room, writes that fail, stop short or
are interrupted, one call after the other (tests/faults/faults.c). Whatever fails, a run ends with
an error and a status, not by a signal; it leaks nothing, leaves nothing behind and replaces
nothing.

Of many calls SOME are tried, evenly spread; all of them with NPROF_TEST_ALL=1 (./dev campaign).
"""

import concurrent.futures
import errno
import os
import re
import shutil

import xspace
from harness import add_test, check, check_same, files_below, main, run, test, write
from samples import analyzers, components, samples_for, sinks, together

FAULTS = os.environ['NPROF_FAULTS']
FILES = [word for name in together() if name != 'null' for word in ('-s', name)]
INTERRUPTED, SHORT = errno.EINTR, 'short'


def environment(fault=None, counts='counts'):
    # runs side by side store into folders of their own
    env = {
        'LD_PRELOAD': FAULTS,
        'NPROF_FAULT_COUNT': os.path.abspath(counts),
        'XDG_DATA_HOME': os.path.abspath(counts + '.data'),
    }
    return {**env, 'NPROF_FAULT': fault} if fault else env


def counts_of(path='counts'):
    with open(path, encoding='utf-8') as file:
        return {name: int(n) for name, n in (line.split() for line in file)}


def counted(*arguments):
    run(*arguments, env=environment()).expect(0)
    return counts_of()


SOME = 12


def walk(numbers, attempt, every=False):
    if len(numbers) > SOME and not every and not os.environ.get('NPROF_TEST_ALL'):
        numbers = [numbers[i * (len(numbers) - 1) // (SOME - 1)] for i in range(SOME)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(attempt, numbers))


def check_ended(result, statuses):
    check(result.status in statuses, f'expected a status of {statuses}\n{result.describe()}')
    check(
        re.search('^nprof: error: .*\n', result.err, re.M), 'no error is told\n' + result.describe()
    )


# -- No memory ------------------------------------------------------------------


def no_memory(arguments, every=False):
    """Lets each allocation fail that nprof and its plugins make, each third with all behind it."""
    out = run('run', '-j', '1', '-o', 'whole/', *arguments, env=environment()).expect(0).out
    files, whole = files_below('whole'), counts_of()
    check(whole['alloc'] > 5, f'hardly anything is allocated: {whole}')

    def attempt(fault):
        name = fault.replace(':', '-').replace('+', '-on')
        result = run(
            'run',
            '-j',
            '1',
            '-o',
            f'out-{name}/',
            *arguments,
            env=environment(fault, 'counts-' + name),
        )
        if result.status == 0:  # it did without, and that must be as good
            check_same(result.out, out, fault)
            check(files_below(f'out-{name}') == files, f'{fault}: other files')
            return 0
        check_ended(result, (2, 4, 5, 7))
        check('memory' in result.err, 'the cause is not told\n' + result.describe())
        check(not os.path.exists(f'out-{name}'), f'{fault}: left {files_below(f"out-{name}")}')
        live = counts_of('counts-' + name)['live']
        check(live <= whole['live'] + 16, f'{fault}: {live - whole["live"]} blocks leak')
        return 1

    failed = walk(
        [f'alloc:{n}{"+" if n % 3 == 0 else ""}' for n in range(1, whole['alloc'] + 1)],
        attempt,
        every,
    )
    check(sum(failed) > len(failed) * 0.8, f'only {sum(failed)} of {len(failed)} were noticed')


@test
def no_memory_for_any_component(_folder):
    write('tiny.xplane.pb', xspace.tiny())
    no_memory([*analyzers(), *FILES, 'tiny.xplane.pb'])


@test
def no_memory_for_tables_as_json(_folder):
    write('tiny.xplane.pb', xspace.tiny())
    no_memory(['-a', 'latency', '-s', 'text:format=json', 'tiny.xplane.pb'], every=True)


def no_memory_for_decoder(name):
    for file in samples_for(name):
        no_memory(['-d', name, '-s', 'null', file])


for decoder in components('decoder'):
    add_test(
        'no-memory-for-decoder-' + decoder,
        lambda _folder, name=decoder: no_memory_for_decoder(name),
    )


# -- No room, and disks that fail ------------------------------------------------


def older(arguments):
    """The files of an older run on the same inputs with the same options, which must stay as they
    are."""
    write('tiny.xplane.pb', xspace.tiny(('older', 'names')))
    run(*arguments, '-o', 'old', 'tiny.xplane.pb').expect(0)
    return files_below('old')


ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


def check_cause(result, number):
    """One status and one sentence where this machine had no room, whoever met it; else that of the
    output."""
    check_ended(result, (7,) if number in ROOM else (4,))
    check(os.strerror(number) in result.err, 'the cause is not told\n' + result.describe())


def refused_calls(call, numbers):
    """Lets each such call fail, with nothing in the folder and with an older run's files."""
    arguments = ['run', '-j', '1', *analyzers(), *FILES]
    old = older(arguments)
    write('tiny.xplane.pb', xspace.tiny())
    count = counted(*arguments, '-o', 'whole', 'tiny.xplane.pb')[call]
    check(count > 0, f'{call} is never called')
    whole = files_below('whole')

    def attempt(case):
        n, number, onto_old = case
        out = f'out-{n}-{number}-{onto_old}'
        if onto_old:
            shutil.copytree('old', out)
        result = run(
            *arguments,
            '-o',
            out,
            'tiny.xplane.pb',
            env=environment(f'{call}:{n}:{number}', out + '.n'),
        )
        if result.status == 0:
            check_same(
                files_below(out).keys(), whole.keys(), f'{call} {n}: files of a run that went well'
            )
            return 0
        check_cause(result, number)
        check_same(
            files_below(out) if os.path.exists(out) else {},
            old if onto_old else {},
            f'{call} {n}: files',
        )
        return 1

    # each call once; by turns with each error, into an empty folder and onto older files
    return walk(
        [(n, numbers[n % len(numbers)], n // len(numbers) % 2 == 0) for n in range(1, count + 1)],
        attempt,
    )


@test
def every_write_fails(_folder):
    failed = refused_calls('write', (errno.ENOSPC, errno.EIO))
    check_same(sum(failed), len(failed), 'failed')


@test
def every_rename_fails(_folder):
    failed = refused_calls('rename', (errno.EIO,))
    check(sum(failed) >= len(failed) - 2, 'renames that failed went unnoticed')


@test
def every_open_to_write_fails(_folder):
    refused_calls('open', (errno.ENOSPC, errno.EMFILE, errno.EROFS))


@test
def every_mkdir_fails(_folder):
    refused_calls('mkdir', (errno.EACCES,))


@test
def every_close_fails(_folder):
    """Files that are only read may fail to close: nothing is lost with them."""
    failed = refused_calls('close', (errno.EIO,))
    check(sum(failed) > 0, 'no close that failed was noticed')


@test
def a_close_that_was_interrupted_closed(_folder):
    check_same(sum(refused_calls('close', (INTERRUPTED,))), 0, 'failed')


def same_in_spite_of(fault):
    write('tiny.xplane.pb', xspace.many(50, lines=2))
    arguments = ['run', '-j', '1', *analyzers(), *FILES]
    run(*arguments, '-o', 'whole', 'tiny.xplane.pb').expect(0)
    run(*arguments, '-o', 'out', 'tiny.xplane.pb', env=environment(fault)).expect(0)
    check_same(files_below('out'), files_below('whole'), fault)


@test
def writes_that_stop_short_go_on(_folder):
    same_in_spite_of(f'write:0:{SHORT}')


@test
def writes_that_are_interrupted_go_on(_folder):
    same_in_spite_of(f'write:0:{INTERRUPTED}')
    same_in_spite_of(f'pwrite:0:{INTERRUPTED}')


@test
def a_pipe_that_is_read_in_spite_of_interrupts(_folder):
    data = xspace.many(50, lines=2)
    whole = run('run', '-j', '1', '-s', 'csv', '-o', '-', '-', stdin=data).expect(0)
    for what in (INTERRUPTED, SHORT):
        found = run(
            'run',
            '-j',
            '1',
            '-s',
            'csv',
            '-o',
            '-',
            '-',
            stdin=data,
            env=environment(f'read:0:{what}'),
        )
        check_same(found.expect(0).out, whole.out, f'read: {what}')


@test
def no_threads_to_be_had(_folder):
    write('tiny.xplane.pb', xspace.tiny())
    count = counted('run', '-j', '4', *FILES, '-o', 'whole', 'tiny.xplane.pb')['thread']
    for n in range(1, count + 1):
        result = run(
            'run',
            '-j',
            '4',
            *FILES,
            '-o',
            'out',
            'tiny.xplane.pb',
            env=environment(f'thread:{n}+:{errno.EAGAIN}'),
        )
        if result.status:
            check_ended(result, (7,))
            check(not os.path.exists('out'), f'{n}: left files')
        shutil.rmtree('out', ignore_errors=True)


@test
def an_input_that_cannot_be_mapped_is_read(_folder):
    write('tiny.xplane.pb', xspace.tiny())
    mapped = counted('run', '-s', 'null', 'tiny.xplane.pb')['mmap']
    check(mapped > 0, 'nothing is mapped')
    for n in range(1, mapped + 1):
        run(
            'run', '-s', 'null', 'tiny.xplane.pb', env=environment(f'mmap:{n}:{errno.ENOMEM}')
        ).expect(0, err='')


@test
def rows_set_aside_that_find_no_room(_folder):
    """More rows than are sorted in memory go to a temporary file."""
    write('many.xplane.pb', xspace.many(330000, lines=2))
    env = {
        'NPROF_PLUGIN_PATH': os.environ['NPROF_TEST_PLUGINS'],
        'TMPDIR': os.path.abspath('aside'),
    }
    os.mkdir('aside')
    arguments = ['run', '-s', 'rows-time', '-o', 'out/', 'many.xplane.pb']
    run(*arguments, env={**env, **environment()}).expect(0)
    shutil.rmtree('out')
    count = counts_of()['pwrite']
    check(count > 0, 'nothing was set aside')
    for n in (1, count // 2 + 1, count):
        for number in (errno.ENOSPC, errno.EIO):
            result = run(*arguments, env={**env, **environment(f'pwrite:{n}:{number}')})
            check_cause(result, number)
            check('TMPDIR' in result.err, result.describe())
            check(not os.path.exists('out') and os.listdir('aside') == [], 'files are left')


@test
def stdout_that_fails(_folder):
    write('tiny.xplane.pb', xspace.tiny())
    for command in (
        ['run', '-s', 'csv', '-o', '-', 'tiny.xplane.pb'],
        ['report', 'tiny.xplane.pb'],
        ['info', 'tiny.xplane.pb'],
        ['run', '-s', 'chrome', '-o', '-', 'tiny.xplane.pb'],
    ):
        for number in (errno.ENOSPC, errno.EIO):
            result = run(*command, env=environment(f'write:1+:{number}'))
            check_cause(result, number)
        run(*command, env=environment(f'write:1+:{errno.EPIPE}')).expect(141, err='')


# -- Nothing allocated per event -------------------------------------------------


def allocations(arguments, count, lines):
    write('events.xplane.pb', xspace.many(count, lines=lines))
    shutil.rmtree('out', ignore_errors=True)
    return counted('run', '-j', '1', *arguments, '-o', 'out/', 'events.xplane.pb')['allocations']


def check_steady(arguments):
    """Twice the events: what is allocated more is a fraction of them."""
    once, twice = (allocations(arguments, n, lines=4) for n in (10000, 20000))
    more = (twice - once) / 40000
    check(
        more < 0.01,
        f'{" ".join(arguments)}: {more:.4f} allocations an event ({once}, then {twice})',
    )


for sink in sinks():
    if sink in ('sqlite', 'xlsx') or sink.startswith('report-neuron'):
        # SQLite allocates for each row that it inserts, libxlsxwriter for each cell; those of
        # Neuron take no rows of other devices
        continue
    add_test('steady-sink-' + sink, lambda _folder, name=sink: check_steady(['-s', name]))
for analyzer in components('analyzer'):
    add_test(
        'steady-analyzer-' + analyzer,
        lambda _folder, name=analyzer: check_steady(['-a', name, '-s', 'null']),
    )


if __name__ == '__main__':
    main()
