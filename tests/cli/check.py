# SPDX-License-Identifier: Apache-2.0
"""check.py - nprof check: every plugin of this tree keeps the rules, and each plugin of
tests/plugins/bad is reported with the rule that it breaks, the place and the mend, while nprof
itself lives on.
"""

import concurrent.futures
import fnmatch
import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

from harness import (
    NPROF,
    Skip,
    add_test,
    alone,
    check,
    check_same,
    environment,
    finish,
    index_text,
    main,
    need_alone,
    read,
    run,
    start,
    test,
    write,
)
from samples import decoders_of, samples_for

PLUGINS = os.environ['NPROF_PLUGINS']
BAD = os.path.join(os.environ['NPROF_TEST_PLUGINS'], 'bad')
LIMIT = ['--time-limit', '20']  # of a call; a sanitizer on a loaded machine is slow


def bad(name):
    return os.path.join(BAD, name + '.so')


def check_bad(name, *arguments):
    write('sample.bad', 'bad one two three xyz')
    return run('check', *(arguments or LIMIT), '--input', 'sample.bad', bad(name))


# -- Plugins of this tree --------------------------------------------------------


def keeps_the_rules(path):
    index = os.path.splitext(path)[0] + '.plugin'
    files = [(file, name) for name in decoders_of(index) for file in samples_for(name)]
    for file, decoder in files or [(None, None)]:
        result = run('check', *LIMIT, *(['--input', file] if file else []), path)
        result.expect(0, err='', out='*.so: * rules passed, 0 failed, *')
        # A file is of one decoder, and a module may have several.
        mine = f'could not be tried  decoder {decoder}: '
        skipped = [line for line in result.out.splitlines() if line.startswith(mine)]
        check(
            not any('nothing to' in line or 'does not take' in line for line in skipped),
            f'{file}: {skipped}',
        )


for so in sorted(glob.glob(os.path.join(PLUGINS, '*.so'))):
    add_test(
        'keeps-the-rules-' + os.path.splitext(os.path.basename(so))[0],
        lambda _folder, path=so: keeps_the_rules(path),
    )


# -- Plugins that break one ------------------------------------------------------

BROKEN = {
    'crash': 'FAIL  decoder bad: options: crashed with signal 11 * in decode_part (level=3): it used a '
    'NULL pointer: *',
    'exit': 'FAIL  decoder bad: variations: ended the process with exit status 3 in decode_part*',
    'past': 'FAIL  decoder bad: variations: crashed * in decode_part: it went beyond the end of column '
    'start, which has 2048 bytes: compare with the length *',
    'read_past': 'FAIL  decoder bad: truncated: crashed * in decode_part (the sample cut at byte 3): it '
    'went beyond the end of the input, which has 3 bytes: *',
    'truncated': 'FAIL  decoder bad: truncated: crashed * in plan (the sample cut at byte 3): *',
    'recursion': 'FAIL  decoder bad: variations: crashed with signal 11 * in decode_part*',
    'writes_batch': 'FAIL  analyzer bad: variations: crashed * in consume: it wrote to column start, which '
    'it may only read*',
    'close': 'FAIL  decoder bad: no-memory: crashed * in close (no memory at call 1)*',
    'descriptor': 'FAIL  decoder bad: leaks: descriptor * is still open after close: /dev/null*',
    'probe': 'FAIL  decoder bad: probe: it is 1 sure of no byte, and 2 the second time: it must be pure*',
    'size': 'FAIL  plugin: load: component 1: its size 8 is too small: *',
    'wrong_thread': "FAIL  decoder bad: variations: fail was called from another thread than the core's "
    'call*',
    'prints': 'FAIL  decoder bad: silence: it printed: hello from the plugin: say things with host->log',
    'folder': 'FAIL  decoder bad: process: the current folder was changed: it is now /: *',
    'signal': 'FAIL  decoder bad: process: the handling of signals was changed: *',
    'thread': 'FAIL  decoder bad: process: * threads still run after close: *',
    'deaf': 'FAIL  decoder bad: cancel: cancelled at flush or progress *: flush was called again after it had '
    'failed, in decode_part *',
    'entry': 'FAIL  plugin: entry: a second call returned something else: *',
    'held': 'FAIL  analyzer bad: variations: 1 batches are still held after close: *',
    'option': 'FAIL  decoder bad: options: crashed with signal 6 * in open (level=8)*',
    'silent': 'FAIL  decoder bad: variations: decode_part failed with -3 and did not say why*',
    'disk': 'FAIL  sink bad: full-disk: writing fails after byte 0: consume returned NPROF_OK although *: '
    'return what write and close return',
    'parts': 'FAIL  decoder bad: variations: the result is another with parts decoded last to first: *',
    'allocation': 'FAIL  decoder bad: allocation: crashed with signal 11 * in decode_part (no memory for its '
    'allocation 2): it used a NULL pointer: *',
    'loses': 'FAIL  decoder bad: allocation: no memory for its allocation 2: it ended well, but with another '
    'result: return -1: look at what malloc returns*',
    'table': 'FAIL  analyzer bad: declaration: table counts has no title: *',
    'tables': 'FAIL  analyzer bad: declaration: two tables are named counts: *',
    'unit': 'FAIL  analyzer bad: declaration: table counts: column rows needs a unit ("": none) and a help: *',
    'name': 'FAIL  plugin: load: component 2: its name "Bad!" is not of a-z, 0-9 and -, nor vendor.name: *',
    'twice': 'FAIL  plugin: load: it holds two of decoder bad: *',
    'empty': 'FAIL  plugin: load: it holds no component: *',
    'changes': 'FAIL  plugin: entry: what it declares has changed between two calls: *',
    'order': 'FAIL  analyzer bad: merge: merge depends on the order of two states: the states have 9 and 9 bytes *',
    'cut': 'FAIL  analyzer bad: merge: a state that was cut at byte 0 gives status 0, expected was -3: *',
    'rows': 'FAIL  analyzer bad: empty: it asked for a writer, but declares NPROF_ANALYZER_NO_ROWS*',
    'wants': 'FAIL  analyzer bad: declaration: it lists tables in table_wants, but has no function `table`*',
    'fork': 'FAIL  decoder bad: fork: it made a copy of the process in *: start no process *',
    'sure': 'FAIL  decoder bad: probe: it is 101 sure of no byte: 0 to 100 is the rule*: *',
}


def is_reported(name, line):
    rule = line.split(': ')[1]
    only = [] if rule in NO_RULES else ['--rule', rule]
    result = check_bad(name, *LIMIT, *only)
    result.expect(5, err='', out=[line, f'{name}.so: * rules passed, * failed, *'])
    for text in result.out.splitlines()[:-1]:
        check(text.startswith(('pass  ', 'FAIL  ', 'could not be tried  ')), text)


# Plugins that keep the rules go through all of the check with a sanitizer as well.
SANITIZED = os.environ['NPROF_SANITIZE'] != 'none'
for broken, expected in {} if SANITIZED else BROKEN.items():
    add_test('reports-' + broken, lambda _folder, n=broken, e=expected: is_reported(n, e))


# -- One call that breaks a rule -------------------------------------------------

PROCESS = 'leave signals, locale, rounding, limits, folder, environment and descriptors of others as they are; *'
INTERNED = 'give what host->intern or nprof_intern returned'
ENDS = 'return a status from each call; only nprof ends the process'
DEBUG = 'build it with -fsanitize=address,undefined *'
NAMES = 'call it vendor.name, *'
FORKS = 'start no process within nprof*'
NO_BREAK = ('unsorted',)  # see nprof-check(1): the order of rows

# Of broken.c: the component, the rule, what is found and in which call, and what mends it.
BREAKS = {
    'far-start': (
        'decoder',
        'rows',
        'row "good": its start is more than 106 days from the origin, in decode',
        'give the origin with host->origin*',
    ),
    'overflow': (
        'decoder',
        'rows',
        '*start and duration together do not fit int64, in decode',
        'times are ps in int64*',
    ),
    'negative': ('decoder', 'rows', 'row "good": duration -5, in decode', 'a duration is -1, *'),
    'long-instant': (
        'decoder',
        'rows',
        '*an instant has a duration of 7000, in decode',
        'an instant lasts 0*',
    ),
    'unknown-track': (
        'decoder',
        'rows',
        '*track 9999 is unknown, in decode',
        'give what host->track returned, *',
    ),
    'other-track': (
        'decoder',
        'rows',
        '*track 1 is one of another input, in decode',
        'keep the handle *',
    ),
    'unknown-kind': (
        'decoder',
        'rows',
        '*200 is no kind, in decode',
        'a row is of a kind of nprof/plugin.h*',
    ),
    'unknown-type': (
        'decoder',
        'rows',
        '*attribute "k" has the unknown type 77, in decode',
        'a value is of a type *',
    ),
    'other-type': (
        'decoder',
        'rows',
        '*attribute "k" has type 3, declared is 1, in decode',
        'give the type that is declared, *',
    ),
    'bool-5': (
        'decoder',
        'rows',
        '*"b" is a bool that is neither 0 nor 1, in decode',
        'a bool is 0 or 1',
    ),
    'short-id': (
        'decoder',
        'rows',
        '*attribute "id" is an id128 of 3 bytes, in decode',
        'an id128 has 16 bytes',
    ),
    'invalid-text': (
        'decoder',
        'rows',
        '*attribute "text" is no UTF-8, in decode',
        'text is UTF-8: *',
    ),
    'text-beyond': (
        'decoder',
        'rows',
        '*attribute "text" points beyond the bytes, in decode',
        'write bytes with *',
    ),
    'unknown-name': (
        'decoder',
        'rows',
        '*name 987654321 or category 0 is no known string, in decode',
        INTERNED,
    ),
    'counter-without-value': (
        'decoder',
        'rows',
        '*a counter has no value, in decode',
        'write it with nprof_counter',
    ),
    'fact-without-attribute': (
        'decoder',
        'rows',
        '*a fact has exactly one attribute*, in decode',
        'a fact has one *',
    ),
    'flow-without-flow': (
        'decoder',
        'rows',
        '*a flow row has no flow, in decode (and 2 more: --json)',
        'a flow has *',
    ),
    'attributes-backwards': (
        'decoder',
        'rows',
        'the counts of the writer do not hold: *, in decode',
        'begin rows and attributes with nprof_row and nprof_attr',
    ),
    'columns-unfilled': (
        'decoder',
        'rows',
        '*track 0 is unknown, in decode',
        'give what host->track returned, *',
    ),
    'beyond-columns': (
        'decoder',
        'rows',
        'crashed * in decode: it went beyond the end of column start, which has 32768 ' 'bytes',
        'compare with the length *',
    ),
    'id-twice': (
        'decoder',
        'rows',
        '*id 7 stands on an earlier row as well, in decode',
        'ids are unique *',
    ),
    'parents-in-a-circle': (
        'decoder',
        'rows',
        'the row of id 7 is its own ancestor, in decode',
        'a parent is *',
    ),
    'long-name': (
        'decoder',
        'rows',
        'a name of 100000000 bytes, made of an input of 17, in decode',
        'bound what *',
    ),
    'long-text': (
        'decoder',
        'rows',
        'a value of 900000000 bytes, made of an input of 17, in decode',
        'bound what *',
    ),
    'million-tracks': (
        'decoder',
        'rows',
        'more than 100000 tracks, made of an input of 17 bytes, in decode',
        'bound what *',
    ),
    'no-progress': (
        'decoder',
        'rows',
        'more than 100,000 rows without a call of progress, in decode',
        'call host->progress *',
    ),
    'flood': (
        'decoder',
        'rows',
        'it logs more than 1000 errors and warnings, in decode',
        'count with host->skip *',
    ),
    'endless': ('decoder', 'rows', 'hangs in decode: no end after 2.0 s', 'bound each loop *'),
    'status-42': (
        'decoder',
        'rows',
        'decode returned 42, which is no status*',
        'return NPROF_OK or *',
    ),
    'silent-failure': (
        'decoder',
        'rows',
        'decode failed with -3 and did not say why*',
        'return nprof_fail *',
    ),
    'swallowed-damage': (
        'decoder',
        'rows',
        'decode returned NPROF_OK although a call of the host had returned -3',
        'return what fail, damage *',
    ),
    'late-property': (
        'decoder',
        'rows',
        'property was called after the first row, in decode',
        'call origin and *',
    ),
    'flush-again': (
        'decoder',
        'no-memory',
        '*flush was called again after it had failed, in decode',
        'return what flush *',
    ),
    'unknown-track-kind': (
        'decoder',
        'rows',
        'track: 99 is no kind that a component makes, in decode',
        'a track is of a kind *',
    ),
    'two-threads': (
        'decoder',
        'variations',
        "*flush was called from another thread than the core's call, in decode*",
        'a thread of its own *',
    ),
    'wrong-thread': (
        'decoder',
        'rows',
        "fail was called from another thread than the core's call, in decode",
        'a thread of its own *',
    ),
    'unequal': (
        'decoder',
        'variations',
        'the result is another with batches of one row: *',
        'nothing may depend *',
    ),
    'crash': (
        'decoder',
        'rows',
        'crashed with signal 11 * in decode: it used a NULL pointer*',
        'look at what may be NULL*',
    ),
    'overflow-stack': ('decoder', 'rows', 'crashed with signal 11 * in decode', DEBUG),
    'exit': ('decoder', 'rows', 'ended the process with exit status 0 in decode', ENDS),
    'exit-at-once': ('decoder', 'rows', 'ended the process with exit status 0 in decode', ENDS),
    'abort': ('decoder', 'rows', 'crashed with signal 6 * in decode', DEBUG),
    'exec': ('decoder', 'rows', 'ended the process with exit status 0 in decode', ENDS),
    'fork': ('decoder', 'fork', 'it made a copy of the process in decode', FORKS),
    'fork-bomb': ('decoder', 'fork', 'it left a process behind in decode', FORKS),
    'daemon-left': ('decoder', 'fork', 'it left a process behind in decode', FORKS),
    'signals': ('decoder', 'process', 'the handling of signals was changed', PROCESS),
    'locale': ('decoder', 'process', 'the locale was changed: it is now *', PROCESS),
    'folder': ('decoder', 'process', 'the current folder was changed: it is now /', PROCESS),
    'umask': ('decoder', 'process', 'the umask was changed: it is now 123', PROCESS),
    'environment': ('decoder', 'process', 'the environment was changed', PROCESS),
    'limit': ('decoder', 'process', 'a limit of the process was changed', PROCESS),
    'rounding': (
        'decoder',
        'process',
        'the rounding of numbers was changed: it is now upward',
        PROCESS,
    ),
    'closes-descriptors': (
        'decoder',
        'process',
        'descriptor * was closed, which it had not opened*',
        PROCESS,
    ),
    'prints': (
        'decoder',
        'silence',
        'it printed: hello from the plugin',
        'say things with host->log',
    ),
    'leaves-thread': ('decoder', 'process', '* threads still run after close', PROCESS),
    'leaves-descriptor': (
        'decoder',
        'leaks',
        'descriptor * is still open after close: /dev/null*',
        'free and close *',
    ),
    'leaves-memory': (
        'decoder',
        'leaks',
        '* bytes are not freed after 7 lives',
        'free and close *',
    ),
    'rows-from-close': (
        'decoder',
        'rows',
        'it asked for a writer in close, *',
        'write the last rows in finish',
    ),
    'writer-of-before': (
        'decoder',
        'rows',
        'crashed * in close: it wrote to column start, which it may only read*',
        'copy what is to be changed*',
    ),
    'sure-1000': (
        'decoder',
        'probe',
        'it is 1000 sure of *: 0 to 100 is the rule*',
        'probe is pure*',
    ),
    'writes-column': (
        'analyzer',
        'rows',
        'crashed * in consume: it wrote to column duration, which it may only read*',
        'copy what is to be changed*',
    ),
    'keeps-column': (
        'analyzer',
        'variations',
        'crashed * in consume *: it read column start after the call that had lent it',
        'keep a batch with batch_ref, *',
    ),
    'null-column': (
        'analyzer',
        'variations',
        'crashed * in consume *: it used a NULL pointer*',
        'look at what may be NULL*',
    ),
    'keeps-batch': (
        'analyzer',
        'rows',
        '1 batches are still held after close*',
        'call batch_unref *',
    ),
    'lets-go-twice': (
        'analyzer',
        'rows',
        'batch_unref was called for a batch that the component did not batch_ref, in consume',
        'call batch_unref once *',
    ),
    'reads-past-rows': (
        'analyzer',
        'variations',
        'crashed * in consume (with a full batch of 64): it went beyond the end of column start, *',
        'compare with the length *',
    ),
    'hides-a-full-disk': (
        'sink',
        'full-disk',
        'writing fails after byte 0: consume returned NPROF_OK although *',
        'return what write and close return',
    ),
    'slow': (
        'analyzer',
        'growth',
        'it is slow: * calls of consume and table took * s',
        'take rows at once: *',
    ),
    'counts-batches': (
        'analyzer',
        'variations',
        'the result is another with batches of one row: *',
        'nothing may depend *',
    ),
    'grows': (
        'analyzer',
        'growth',
        'it takes * bytes for 1000 rows, and * for ten times as many',
        'keep sums *',
    ),
    'exit-in-consume': (
        'analyzer',
        'rows',
        'ended the process with exit status 0 in consume',
        ENDS,
    ),
    'crash-in-consume': (
        'analyzer',
        'rows',
        'crashed with signal 11 * in consume: it used a NULL pointer*',
        'look at what may be NULL*',
    ),
    'exits-in-consume': ('sink', 'rows', 'ended the process with exit status 0 in consume', ENDS),
    'cell-of-other-type': (
        'analyzer',
        'rows',
        '*"rows" is double, declared is int64, in finish',
        'give the type *',
    ),
    'unknown-string': (
        'analyzer',
        'rows',
        '*column "name" holds an unknown string, in finish',
        INTERNED,
    ),
    'ratio-of-50': (
        'analyzer',
        'rows',
        'table "vendor.counts": column "share" is a ratio, and holds 50',
        'a ratio is *',
    ),
    'ratio-of-nothing': (
        'analyzer',
        'rows',
        'table "vendor.counts": column "share" is a ratio, and holds *nan',
        'a ratio is *',
    ),
    'bool-in-cell': (
        'analyzer',
        'rows',
        '*"any" holds a bool that is neither 0 nor 1, in finish',
        'a bool is 0 or 1',
    ),
    'invalid-cell': (
        'analyzer',
        'rows',
        '*"text" holds text that is no UTF-8, in finish',
        'text is UTF-8: *',
    ),
    'undeclared-table': (
        'analyzer',
        'rows',
        'table "undeclared" is not in `tables` of the component, in finish',
        "list the table in the component's tables",
    ),
    'rows-of-none': (
        'analyzer',
        'rows',
        'it asked for a writer, but declares NPROF_ANALYZER_NO_ROWS, in finish',
        'leave *',
    ),
    'finishes-twice': (
        'analyzer',
        'rows',
        'finish was called by the component itself, in finish',
        'leave finish *',
    ),
    'open-fails': (
        'sink',
        'variations',
        'it fails on rows and tables of all sorts with status -2: it never opens',
        '*',
    ),
    'contract-99': (
        '',
        'load',
        'it needs contract 99 of nprof/plugin.h, this nprof has 1',
        'update nprof, *',
    ),
    'unknown-flag': (
        'sink',
        'declaration',
        'it has the flags 0x100000, which nprof/plugin.h does not have for sink',
        'mend *',
    ),
    'needs-the-impossible': (
        '',
        'load',
        'it needs the extension "vendor.nothing", *',
        'use the nprof *',
    ),
    'takes-a-table': ('analyzer', 'names', 'table devices is that of analyzer device of *', NAMES),
    'takes-a-name': ('analyzer', 'names', 'analyzer critical is in */critical.so already', NAMES),
}


WHOLE = os.environ.get('NPROF_TEST_ALL')
NO_RULES = ('load', 'entry')  # they are tried whatever --rule names


def is_found(name):
    """What the check of a break says that it should not, or None.  Its own rule is tried alone, all
    of them where NPROF_TEST_ALL is set."""
    limit = {'endless': '2', 'fork-bomb': '2', 'slow': '1'}.get(name, LIMIT[1])
    alone = not WHOLE and name in BREAKS and BREAKS[name][1] not in NO_RULES
    result = run(
        'check',
        '--time-limit',
        limit,
        *(['--rule', BREAKS[name][1]] if alone else []),
        '--input',
        's.broken',
        bad('broken'),
        env={'NPROF_BREAK': name},
    )
    if name in NO_BREAK:
        return None if result.status == 0 else result.describe()
    kind, rule, found, mend = BREAKS[name]
    component = (
        'analyzer critical'
        if name == 'takes-a-name'
        else f'{kind} vendor.broken'
        if kind
        else 'plugin'
    )
    line = f'FAIL  {component}: {rule}: {found}: {mend}'.replace('[', '[[]')
    lines = [text for text in result.out.splitlines() if fnmatch.fnmatchcase(text, line)]
    return None if lines and result.status == 5 else f'{line}\n{result.describe()}'


def each_break_of_a_rule_is_named_with_its_call_and_mend(_folder):
    write('s.broken', 'broken 0123456789')
    source = read(os.path.join(os.environ['NPROF_SOURCE'], 'tests/plugins/bad/broken.c')).decode()
    names = re.findall(r'^  { "([a-z0-9-]+)", \.', source, re.MULTILINE)
    check_same(sorted(names), sorted((*BREAKS, *NO_BREAK)), 'breaks')
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        missed = [text for text in pool.map(is_found, names) if text]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    check(not missed, '\n'.join(missed))
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    check(took < 60 or WHOLE, f'it took {took:.1f} s of CPU')


if not SANITIZED:
    test(each_break_of_a_rule_is_named_with_its_call_and_mend)


@test
def what_is_whole_passes_beside_them(_folder):
    write('s.broken', 'broken 0123456789')
    run('check', *LIMIT, '--input', 's.broken', bad('broken')).expect(
        0, err='', out='broken.so: * 0 failed, *'
    )


@test
def what_its_index_says_is_compared(folder):
    shutil.copy(bad('none'), folder)
    so = os.path.join(folder, 'none.so')
    three = ['decoder bad', 'analyzer bad', 'sink bad']
    for key in ('sufixes', 'rank'):
        write('none.plugin', index_text(three).replace('[sink bad]', f'[sink bad]\n{key}=1'))
        run('check', '--rule', 'load', so).expect(
            5,
            err='',
            out=f'FAIL  plugin: load: *none.plugin: [[]sink bad] has the key "{key}", which nprof does '
            'not read: a decoder has magic and suffixes*',
        )
    for components, expected in (
        (three[:2], '*none.plugin does not list sink bad: write a group [[]KIND NAME] *'),
        ([*three, 'sink other'], '*none.plugin lists 4 components, the file holds 3*'),
        (['bad'], '*none.plugin: [[]bad]: [[]KIND NAME] was expected*'),
    ):
        write('none.plugin', index_text(components))
        run('check', *LIMIT, so).expect(5, err='', out='FAIL  plugin: load: ' + expected)


@test
def a_leak_is_reported(_folder):
    result = check_bad('memory', *LIMIT, '--rule', 'leaks')
    if 'the allocator of this build' in result.out:  # a sanitizer's
        return
    result.expect(5, out='FAIL  decoder bad: leaks: * bytes are not freed after 7 lives: *')


@test
def what_breaks_no_rule_passes(_folder):
    result = check_bad('none').expect(
        0, err='', out='none.so: * rules passed, 0 failed, * could not be tried'
    )
    check('pass  decoder bad: cancel' in result.out, result.out)
    check('pass  sink bad: full-disk' in result.out, result.out)


@test
def what_hangs_is_ended(_folder):
    result = check_bad('hang', '--time-limit', '2')
    result.expect(
        5,
        err='',
        out=[
            'FAIL  decoder bad: rows: hangs in decode_part: no end after 2.0 s: *',
            'could not be tried  decoder bad: all further rules: it hangs',
            'pass  analyzer bad: variations',
            'pass  sink bad: variations',
        ],
    )


@test
def no_process_is_left_of_a_plugin_that_forks(folder):
    write('s.broken', 'broken one')
    os.chmod(folder, 0o755)
    need_alone('s.broken', NPROF, bad('broken'))
    for name in ('fork', 'fork-bomb', 'daemon-left'):
        told = alone(
            f'NPROF_BREAK={name} "$1" check --time-limit 3 --input s.broken "$2"; '
            'echo status $?; set -- /proc/[0-9]*; echo left: $*',
            NPROF,
            bad('broken'),
        ).stdout
        check(
            'FAIL  decoder vendor.broken: fork: it ' in told
            and 'in decode: start no process' in told,
            told,
        )
        check('\nstatus 5\nleft: /proc/1\n' in told, told)


@test
def without_a_sample_it_says_what_was_not_tried(_folder):
    run('check', *LIMIT, bad('none')).expect(
        0,
        out=[
            'could not be tried  decoder bad: truncated: *--input FILE*',
            'could not be tried  decoder bad: cancel: *--input FILE*',
            'could not be tried  decoder bad: fork: *--input FILE*',
            'pass  sink bad: fork',
        ],
    )
    write('other', 'of another format')
    run('check', *LIMIT, '--input', 'other', bad('none')).expect(
        0,
        out='could not be tried  decoder bad: cancel: its probe does not take the file of --input',
    )


SERVER = '''import socketserver
class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        while self.request.recv(65536):
            pass
with socketserver.ThreadingTCPServer(('127.0.0.1', 0), Handler) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
'''


@test
def a_sink_meets_the_server_that_a_command_starts(_folder):
    write('server.py', SERVER)
    given = ['--with', f'exec {sys.executable} server.py', '-o', 'port={port}']
    run('check', *LIMIT, *given, bad('caller')).expect(
        0, err='', out=['pass  sink vendor.caller: variations', 'pass  sink vendor.caller: options']
    )
    run('check', *LIMIT, '--rule', 'variations', bad('caller')).expect(
        0,
        out="could not be tried  sink vendor.caller: variations: *--with 'COMMAND' starts one: nobody listens on port 1",
    )
    run('check', *given, '-o', 'prt=1', bad('caller')).expect(1, err='*-o prt=1: no component *')
    run('check', '--time-limit', '1', '--with', 'exec cat', bad('none')).expect(
        1, out='', err='*printed no port*'
    )


# Takes all that InfluxDB 1 is sent, and remembers nothing.
INFLUX = '''import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def answer(self):
        self.rfile.read(int(self.headers.get('Content-Length', 0)))
        body = b'{"results": [{"statement_id": 0}]}' if 'query' in self.path else b''
        self.send_response(200 if body else 204)
        self.send_header('X-Influxdb-Version', '1.8.10')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_GET = do_POST = answer
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
'''


@test
def influx_lives_without_memory_when_there_is_a_server(_folder):
    influx = os.path.join(PLUGINS, 'influx.so')
    if not os.path.exists(influx):
        raise Skip('influx is not built: libcurl is missing')
    write('server.py', INFLUX)
    run(
        'check',
        *LIMIT,
        '--rule',
        'allocation',
        '--with',
        f'exec {sys.executable} server.py',
        '-o',
        'url=http://127.0.0.1:{port}',
        '-o',
        'api=1',
        influx,
    ).expect(0, err='', out='pass  sink influx: allocation')


@test
def an_option_that_the_user_gives_holds_in_all_rules(_folder):
    write('sample.bad', 'bad one two three xyz')
    run('check', *LIMIT, '--input', 'sample.bad', '-o', 'level=8', bad('option')).expect(
        5, out=['FAIL  decoder bad: rows: crashed with signal 6 * in open: *']
    )
    run('check', *LIMIT, '--input', 'sample.bad', '-o', 'level=4', bad('none')).expect(
        0, out='pass  decoder bad: options'
    )
    run('check', '-o', 'level', bad('none')).expect(1, out='', err='*-o takes KEY=VALUE*')


@test
def a_sample_that_it_cannot_read_is_said(_folder):
    write('damaged', 'bad!')
    run('check', *LIMIT, '--input', 'damaged', bad('none')).expect(
        5,
        out='FAIL  decoder bad: variations: it fails on the file of --input with status -3: byte 3: *',
    )


@test
def json_tells_all_that_was_found(_folder):
    told = json.loads(check_bad('probe', '--json', *LIMIT).expect(5, err='').out)
    check_same((told['plugin'], told['passed']), (bad('probe'), False), 'plugin and verdict')
    rule = next(r for r in told['rules'] if r['result'] == 'fail')
    check_same((rule['component'], rule['rule']), ('decoder bad', 'probe'), 'rule')
    check(len(rule['found']) > 10 and 'pure' in rule['mend'], str(rule))
    check_same(
        {r['result'] for r in told['rules']}, {'pass', 'fail', 'could not be tried'}, 'results'
    )
    told = json.loads(check_bad('none', '--json', *LIMIT).expect(0, err='').out)
    check_same(
        (told['passed'], {r['component'] for r in told['rules']}),
        (True, {'plugin', 'decoder bad', 'analyzer bad', 'sink bad'}),
        'a good one',
    )


@test
def the_manual_names_each_rule(_folder):
    told = json.loads(check_bad('none', '--json', *LIMIT).out)
    manual = open(
        os.path.join(os.environ['NPROF_SOURCE'], 'share/man/nprof-plugin.3'), encoding='utf-8'
    ).read()
    named = {
        word
        for line in manual.splitlines()
        if line.startswith('.It Cm ')
        for word in line[7:].split(' , ')
    }
    check_same(
        {rule['rule'] for rule in told['rules']} - named,
        set(),
        'rules that nprof-plugin(3) leaves out',
    )


@test
def what_is_no_plugin_is_5_with_the_mend(_folder):
    write('text.so', 'no shared object')
    run('check', 'text.so').expect(
        5, err='', out='FAIL  plugin: load: it is no shared object (ELF): build *'
    )
    run('check', 'absent.so').expect(1, out='', err='*absent.so: there is no such file*')
    write('open.so', read(bad('none')))
    os.chmod('open.so', 0o666)
    run('check', 'open.so').expect(5, out='FAIL  plugin: load: refused: *chmod *')


@test
def an_index_that_lies_is_found(_folder):
    write('mine.so', read(bad('none')))
    listed = ['decoder bad', 'analyzer bad', 'sink bad']
    write('mine.plugin', index_text(listed))
    run('check', *LIMIT, 'mine.so').expect(0, out='pass  plugin: load')
    write('mine.plugin', index_text(listed[1:]))
    run('check', *LIMIT, 'mine.so').expect(
        5, out='FAIL  plugin: load: *mine.plugin does not list decoder bad: *'
    )


@test
def wrong_use_is_1(_folder):
    for arguments in ([], ['a.so', 'b.so'], ['--time-limit', '0', 'a.so'], ['--jsn', 'a.so']):
        run('check', *arguments).expect(
            1, out='', err='nprof: error: *nprof check --help tells more*'
        )
    run('check', '--rule', 'probes', 'a.so').expect(1, out='', err='*no rule "probes"*')
    run('check', '--input', 'absent', bad('none')).expect(2, out='', err='*absent*No such file*')
    write('large', b'bad' + b' ' * (4 << 20))
    run('check', '--input', 'large', bad('none')).expect(1, out='', err='*large has 4194307 bytes*')


@test
def an_interrupt_ends_it_and_what_hangs(_folder):
    write('sample.bad', 'bad one')
    process = start(
        'check',
        '--input',
        'sample.bad',
        bad('hang'),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.readline()  # it has begun
    process.send_signal(signal.SIGINT)
    finish(process, 'nprof check').expect(130, err='')


@test
def nothing_is_left_behind(folder):
    check_bad('folder', *LIMIT, '--rule', 'process').expect(5)
    check_same(os.listdir(folder), ['sample.bad'], 'files')


if __name__ == '__main__':
    main()
