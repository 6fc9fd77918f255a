# SPDX-License-Identifier: Apache-2.0
"""findings.py - answers as files: what they read, what they may not, and what is said of a file
that is wrong. The answers are made here; times follow from the trace, which is made here as
well."""

import csv
import glob
import io
import json
import os
import re
import shutil

from harness import check, check_same, main, read, run, sample, test, write

US = 10**6  # ps


def trace(name='trace.json', names=('read', 'read', 'write')):
    """Spans of one thread, 5 us each."""
    events = [
        {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 10 * i, 'dur': 5, 'name': n}
        for i, n in enumerate(names)
    ]
    write(name, json.dumps({'traceEvents': events}).encode())
    return name


def answer(body, name='own', **head):
    """Writes answers/mine/NAME.sql."""
    head = {
        name: 'a test',
        'when': 'always',
        'stake': 'none',
        'of': 'latency',
        'needs': 'latency (input thread name calls total_ps)',
        **head,
    }
    head['say'] = head.pop('say', '{name} runs {calls:count} times')  # words come before it
    lines = [
        f'-- {key}: {value}'
        for key, values in head.items()
        for value in ([values] if isinstance(values, str) else values)
    ]
    os.makedirs('answers/mine', exist_ok=True)
    write(f'answers/mine/{name}.sql', '\n'.join([*lines, body, '']).encode())


def ask(*inputs, analyzers=('latency',), more=()):
    """Rows of table findings of the answers of this test, and what was said on stderr."""
    words = [word for one in analyzers for word in ('-a', one)]
    done = run(
        'run',
        '-a',
        'answers:folder=answers',
        *words,
        *more,
        '-s',
        'csv:table=findings',
        '-o',
        '-',
        *inputs,
    ).expect(0)
    rows = [
        row
        for row in csv.DictReader(io.StringIO(done.out))
        if row['answer'] in ('team.own', 'team.other')
    ]
    return rows, done.err


def refused(body, problem, **head):
    """The answer is unknown, said with its line; the other one stands."""
    answer('select input, name, calls from latency order by rowid', name='other')
    answer(body, **head)
    rows, err = ask(trace())
    check_same({row['answer'] for row in rows}, {'team.other'}, f'only the other: {err}')
    check(problem in err and 'answers/mine/own.sql:' in err, f'expected {problem}: {err}')


READ = 'select input, name, calls, total_ps as stake from latency order by stake desc, rowid'


@test
def analyzers_and_the_core(_):
    """It reads what analyzers behind it make, and tables that the core makes at the very end."""
    answer(READ, say='{name} runs {calls:count} times for {stake:time}')
    rows, _err = ask(trace())
    check_same(
        [(r['name'], r['text'], float(r['stake_ns'])) for r in rows],
        [
            ('read', '{name} runs 2 times for 10.0 us', 10000.0),
            ('write', '{name} runs 1 times for 5.00 us', 5000.0),
        ],
        'latency',
    )
    answer(
        'select input, rows from inputs order by rowid',
        needs='inputs (input rows)',
        say='{input} has {rows:count} rows',
    )
    rows, _err = ask(trace(), analyzers=())
    check_same(
        [(r['input'], r['text']) for r in rows], [('trace.json', '{input} has 3 rows')], 'inputs'
    )


@test
def a_need_without_columns(_):
    """Of a table of which no answer reads a column it is only known whether it has rows, here of
    two stacks, and of what was skipped, which is nothing."""
    answer(
        "select (select count(*) from stacks) as calls, 'stacks' as name, input from inputs "
        'where exists (select 1 from stacks) and not exists (select 1 from skipped) order by 1',
        needs=['stacks ()', 'skipped? ()', 'inputs (input)'],
    )
    rows, err = ask(trace(), analyzers=('flame',))
    check_same([r['text'] for r in rows], ['{name} runs 1 times'], f'one row of several: {err}')


@test
def an_answer_lies_in_a_folder_of_its_subject(_):
    """One that lies beside such folders is named, and not passed over."""
    answer(
        'select input, rows from inputs order by rowid',
        needs='inputs (input rows)',
        say='{input} has {rows:count} rows',
    )
    os.rename('answers/mine/own.sql', 'answers/own.sql')
    run('answers', '--answers', 'answers', '--check').expect(
        1,
        out='',
        err='*own.sql:1: an answer lies in a folder named after its subject: SUBJECT/NAME.sql',
    )


@test
def a_wrong_answer_stands_on_the_first_screen(_):
    """It is named with its line, and all other lines stand."""

    def screen():
        done = run('report', '-a', 'answers:folder=answers', '--only', 'summary', trace()).expect(0)
        return done.out.split('\n\nSummary\n')[0].splitlines()

    answer('select input, name, calls from latency order by rowid', name='other')
    good = screen()
    check(not any('wrong answer' in line for line in good), good)
    answer('select input, name, calls from latencies order by rowid')
    broken = screen()
    (line,) = [line for line in broken if line not in good]
    check('unknown' in line and 'wrong answer mine/own.sql:' in line, line)
    check('no such table: latencies' in line, line)
    check_same([one for one in broken if one != line], good, 'the rest stands')
    told = run('report', '-a', 'answers:folder=answers', '--format', 'json', trace()).expect(0).out
    check({'what': 'answers', 'code': 'wrong_answer'} in json.loads(told)['unknown'], told)
    for name in ('p', 'q', 'r'):
        answer('select', name=name, say='{')
    lines = [one for one in screen() if one not in good]
    check_same(len(lines), 3, 'at most three lines')
    check('and 1 more: nprof answers --check' in lines[2], lines)


@test
def rows_by_their_place(_):
    """rowid is the place of a row in its table; where there is none, or it is no place, there is no
    row."""
    for places, names in (('1, 99, -1', ['write']), ("'0', 0", ['read']), ("null, 0.5, 'x'", [])):
        answer(f'select input, name, calls from latency where rowid in ({places}) order by rowid')
        check_same([r['name'] for r in ask(trace())[0]], names, places)


@test
def one_row_a_thing(_):
    """The first row of each thing counts, in the order of the statement."""
    answer(READ, each='input')
    check_same([r['name'] for r in ask(trace())[0]], ['read'], 'one thing')
    answer(READ.replace('desc', 'asc'), each='input')
    check_same([r['name'] for r in ask(trace())[0]], ['write'], 'the other order')


@test
def parts_that_may_be_unknown(_):
    """What is in brackets is said when its places are known, what is not must be; words are the
    answer's own."""
    answer(
        "select input, name, calls, case when calls > 1 then 'many' end as much, name as kind from latency order by rowid",
        word=['much many: often', 'kind read: reads', 'kind *: another'],
        say='{kind:kind} {name}[ {much:much}]',
    )
    check_same(
        [r['text'] for r in ask(trace())[0]], ['reads {name} often', 'another {name}'], 'text'
    )
    refused(
        "select input, name, case when calls > 1 then calls end as calls from latency order by rowid",
        'a place outside of [ ] is unknown in a row',
    )


@test
def words_of_parts(_):
    """A line `words` has a word for each part of a window, as the header lists them; a line before
    it says one otherwise."""
    header = os.path.join(os.environ['NPROF_SOURCE'], 'plugins/common/profile/window-parts.h')
    said = dict(re.findall(r'^  P \(\w+, "(\w+)", "([^"]+)"', read(header).decode(), re.M))
    check(len(said) > 15, said)
    said['wait'] = 'in a queue'
    parts = ' union all '.join(f"select '{name}' as part" for name in [*said, 'colours'])
    answer(
        f"select input, part from (select input from latency order by rowid limit 1), ({parts}) order by part",
        word='kind wait: in a queue',
        words='kind parts',
        say='a part[: {part:kind}]',
    )
    rows, err = ask(trace())
    expected = ['a part: ' + said[n] if n in said else 'a part' for n in sorted([*said, 'colours'])]
    check_same([r['text'] for r in rows], expected, err)


@test
def parts_of_another_answer(_):
    """A line `with` has a part of the statement of an answer before it, to the bracket that ends it:
    one in quotes does not."""
    answer(
        "with all_of as (select input, name, calls from latency),\n"
        "kept as (\n  select * from all_of where name <> ')' and (calls > 1))\n"
        'select input, name, calls from kept order by name',
        name='other',
    )
    answer(
        'with more as (select input, name, calls from kept)\n'
        'select input, name, calls from more order by name',
        **{'with': ['all_of team.other', 'kept team.other']},
    )
    rows, err = ask(trace())
    check_same(
        [(r['answer'], r['name']) for r in rows],
        [('team.other', 'read'), ('team.own', 'read')],
        err,
    )
    refused(READ, 'expected with: NAME ANSWER', **{'with': 'kept team.other'})
    refused(READ, 'expected with: NAME ANSWER', **{'with': 'lost'})
    refused(READ, 'a statement that begins with `with`', **{'with': 'lost gap'})


@test
def a_part_of_two_answers_reads_what_came_between(_):
    """A part that is named twice is a table, which the next answer takes where nothing changed."""
    for name in ('other', 'own'):
        answer(
            "with told as (select count(*) as n from findings where answer like 'team.%')\n"
            'select l.input, max(a.n, b.n) as calls\n'
            'from (select input from latency order by rowid limit 1) l, told a, told b',
            name=name,
            needs=['latency (input)', 'findings? (answer)'],
            say='{calls:count} before',
        )
    rows, err = ask(trace())
    check_same([r['text'] for r in rows], ['0 before', '1 before'], err)


@test
def words_of_another_answer(_):
    """A line `words` has those of a set of an answer before it, in its order; a line before it says
    one otherwise."""
    path = os.path.join(os.environ['NPROF_SOURCE'], 'share/answers/devices/gap.sql')
    said = dict(re.findall(r'^-- word: do (\S+): (.+)$', read(path).decode(), re.M))
    check('*' in said and len(said) > 4, said)
    said['wait'] = 'wait for it'
    kinds = ' union all '.join(f"select '{name}' as kind" for name in sorted(said))
    answer(
        f'select input, kind from (select input from latency order by rowid limit 1), ({kinds}) order by kind',
        word='do wait: wait for it',
        words='do gap',
        say='to do: {kind:do}',
    )
    rows, err = ask(trace())
    check_same([r['text'] for r in rows], ['to do: ' + said[n] for n in sorted(said)], err)


@test
def whose_it_is(_):
    """A thread that has but a number gets its noun; of several inputs each is named."""
    answer(READ.replace('name,', 'name, thread as track,'), say='{name} on {track:thread}')
    check_same({r['text'] for r in ask(trace())[0]}, {'{name} on thread {track}'}, 'one input')
    check_same(
        {r['text'] for r in ask(trace('a.json'), trace('b.json'))[0]},
        {'{name} on thread {track} of {input}'},
        'two',
    )


@test
def names_of_a_profile_stay_places(_):
    """A name that looks like a place, ends lines or steers a terminal is in no sentence of the
    table."""
    names = ['{device}', 'a\nb', '\x1b[31mred', '\u202egnp', '[x]']
    answer(READ)
    rows, _err = ask(trace('names.json', names))
    check_same({r['text'] for r in rows}, {'{name} runs 1 times'}, 'sentences')
    check_same(sorted(r['name'] for r in rows), sorted(names), 'whole names')


@test
def files_that_are_wrong(_):
    for problem, head, body in [
        (
            'expected ability, about, advice, code, condition, detail, each, line, needs',
            {'colour': 'red'},
            READ,
        ),
        ('expected -- KEY: VALUE', {'note': 'x\n-- nothing'}, READ),
        ('expected needs: TABLE (COLUMN ...)', {'needs': 'latency'}, READ),
        ('expected words: SET parts', {'words': 'cause colours'}, READ),
        ('expected words: SET parts', {'words': 'parts'}, READ),
        (
            'SET ANSWER, for that set of an answer whose path comes before',
            {'words': 'do own'},
            READ,
        ),
        ('SET ANSWER, for that set of an answer', {'words': 'colours gap'}, READ),
        ('{thread}: a text of a profile is said by column', {'say': '{thread}'}, READ),
        ('or a set that a line `word:` declares', {'say': '{name:colour}'}, READ),
        ('a brace', {'say': 'open { and shut'}, READ),
        ('an answer says one sentence', {'say': ['one', 'two']}, READ),
        ('a statement stands below', {}, ''),
    ]:
        problem = 'braces and brackets mean nothing else' if problem == 'a brace' else problem
        refused(body, problem, **head)


@test
def statements_that_are_wrong(_):
    """Line 7 is the first of the statement: six lines are its head."""
    for problem, body in [
        ('own.sql:7: near "selec": syntax error', 'selec input'),
        ('own.sql:8: no such column: colour', 'select input,\n colour from latency'),
        ('latency.p99_ps is in no line `needs:`', 'select input, name, calls, p99_ps from latency'),
        ('inputs.input is in no line `needs:`', 'select input from inputs'),
        ('it has more than one statement', READ + '; select 1'),
        ('its statement selects nothing', 'create temp table x (y)'),
        ('not authorized', "select input, name, calls, random() as r from latency"),
        ('not authorized', "select input, name, calls, date('now') as r from latency"),
        ('not authorized', "attach 'file.db' as other"),
        (
            'stake is no whole number',
            'select input, name, calls, total_ps / 2.0 as stake from latency',
        ),
        (
            'least_ps is no whole number',
            f'select input, name, calls, {2 ** 63 - 1} + calls as least_ps from latency',
        ),
        (
            'string or blob too big',
            'select input, hex (zeroblob (600000)) as name, calls from latency',
        ),
        (
            'it takes more than 100 million steps',
            'with recursive n (i) as (select 1 union all select i + 1 from n) select max (i) as name from n',
        ),
    ]:
        refused(body, problem)
    check(not os.path.exists('file.db'), 'nothing is written')


@test
def tables_that_are_absent(_):
    """A table that nobody makes ends the question without a word, and is empty where it may be
    absent; a column that it lacks is said."""
    answer(READ.replace('latency', 'nowhere'), needs='nowhere (input name calls total_ps)')
    rows, err = ask(trace())
    check_same((rows, 'own.sql' in err), ([], False), err)
    answer(
        'select input, name, calls from latency where not exists (select 1 from nowhere) order by rowid',
        needs=['latency (input name calls)', 'nowhere? (x)'],
    )
    check_same(len(ask(trace())[0]), 2, 'rows')
    refused(
        READ,
        'own.sql:5: table latency has no column colour',
        needs='latency (input name calls total_ps colour)',
    )


@test
def tables_without_rows(_):
    """What needs rows of a table is not asked where it has none, and says nothing by its command; what
    may lack it is asked. A host alone has no device."""
    for need, said in (('devices (device)', []), ('devices? (device)', ['{name} runs 0 times'])):
        answer(
            "select input, 'host' as name, (select count(*) from devices) as calls from inputs order by rowid",
            needs=[need, 'inputs (input)'],
        )
        rows, err = ask(trace(), analyzers=('device',))
        check_same([row['text'] for row in rows], said, f'{need}: {err}')
        out = run('answers', '--answers', 'answers', 'team.own', trace()).expect(0).out
        check_same('nothing: no row is so' in out, not said, out)


@test
def what_nprof_ships(_):
    """Each is right, for its tables are there, and has an order that is total: SQLite may give
    unordered rows in another one."""
    source = os.environ['NPROF_SOURCE']
    files = glob.glob(os.path.join(source, 'share', 'answers', '*', '*.sql'))
    check(len(files) >= 14, files)
    names = [os.path.basename(f) for f in files]
    check_same(len(set(names)), len(names), 'names are told apart')
    made = {
        t['name']: [c['name'] for c in t['columns']]
        for p in json.loads(run('plugins', '--json').out)['plugins']
        for t in p.get('tables', ())
    }
    for file in files:
        with open(file, encoding='utf-8') as text:
            needs = [
                line.split(None, 2)[2].rstrip(')\n').split(' (')
                for line in text
                if line.startswith('-- needs:')
            ]
        for table, columns in needs:
            own = made.get(table.rstrip('?'))
            plain = own and [c[:-3] + '_ps' if c.endswith('_ns') else c for c in own]
            check(
                own is None or set(columns.split()) <= set(plain),
                f'{file}: {table} {columns} of {plain}',
            )
    done = run(
        'run',
        '-a',
        'device',
        '-a',
        'steps',
        '-a',
        'operators',
        '-a',
        'mfu',
        '-a',
        'critical',
        '-a',
        'latency',
        '-a',
        'ranks',
        '-a',
        'neuron',
        '-a',
        'answers',
        '-s',
        'null',
        sample(),
    ).expect(0)
    check('answer ' not in done.err, done.err)


def shipped():
    """Names of nprof's own."""
    files = glob.glob(os.path.join(os.environ['NPROF_SOURCE'], 'share', 'answers', '*', '*.sql'))
    return {os.path.basename(file)[: -len('.sql')] for file in files}


@test
def the_command(_):
    """It lists all, explains one, and says of a profile what the analyzer says."""
    listed = [line.split()[0] for line in run('answers').expect(0, err='').out.splitlines()]
    check_same(set(listed), shipped(), 'the list')
    shown = run('answers', 'exposed').expect(0, err='').out
    check(
        '> 5 % of the span' in shown
        and 'devices: input device span_ps exposed_ps compute_ps' in shown,
        shown,
    )
    rows = list(
        csv.DictReader(
            io.StringIO(
                run(
                    'run',
                    '-q',
                    '-a',
                    'device',
                    '-a',
                    'answers',
                    '-s',
                    'csv:table=findings',
                    '-o',
                    '-',
                    sample(),
                )
                .expect(0)
                .out
            )
        )
    )
    wanted = [r['text'].replace('{device}', r['device']) for r in rows if r['answer'] == 'exposed']
    said = run('answers', '-q', 'exposed', sample()).expect(0).out.splitlines()[-len(wanted) :]
    check_same([line[15:] for line in said], wanted, 'of the sample')
    run('answers', 'expose').expect(1, out='', err='*did you mean exposed*')
    check('nothing: no row is so' in run('answers', '-q', 'p99', sample()).expect(0).out, 'none')
    check(
        'unknown: no analyzer of the report makes'
        in run('answers', '-q', 'rank_skew', sample()).expect(0).out,
        'no table',
    )


@test
def what_each_costs(_):
    run('answers', '--cost').expect(1, out='', err='*--cost needs an INPUT*')
    lines = [
        line.split()
        for line in run('answers', '-q', '--cost', sample()).expect(0).out.splitlines()[1:]
    ]
    check({name for name, _steps, _things in lines} <= shipped() and len(lines) > 8, lines)
    check(all(0 < int(steps) < 100_000 for _name, steps, _things in lines), lines)
    check_same(next(things for name, _steps, things in lines if name == 'exposed'), '2', lines)


@test
def the_check(_):
    """Each of nprof's own is right, by its tables and of the sample in both orders of rows."""
    count = len(shipped())
    for words in ([], [sample()]):
        run('answers', '-q', '--check', *words).expect(0, out=f'{count} answers are right', err='')
    whole = 'a whole number is divided by one'
    for problem, body, words in [
        (whole, READ.replace('total_ps as stake', 'total_ps / calls as stake'), []),
        (
            whole,
            READ.replace('total_ps as stake', 'total_ps as stake, 1.0 * calls + total_ps / 2 as x'),
            [],
        ),
        (
            whole,
            READ.replace('total_ps as stake', 'total_ps as stake, calls / count (*) over () as x'),
            [],
        ),
        (
            None,
            READ.replace('total_ps as stake', 'total_ps as stake, calls * 1.0 / total_ps / 2 as x'),
            [],
        ),
        (
            None,
            READ.replace(
                'total_ps as stake',
                'total_ps as stake, (calls + 0.5) / 2 as x, cast (calls as real) / 3 as y',
            ),
            [],
        ),
        (
            None,
            READ.replace('total_ps as stake', 'total_ps as stake, share / calls as x').replace(
                'total_ps,', 'total_ps, share,'
            ),
            [],
        ),
        ('own.sql:5: table latency has no column colour', READ, []),
        ('its order is not total', 'select input, name, calls from latency', [trace()]),
    ]:
        needs = 'latency (input thread name calls total_ps share' + (
            ' colour)' if problem and 'colour' in problem else ')'
        )
        answer(body, needs=needs)
        done = run('answers', '-q', '--answers', 'answers', '--check', *words)
        if problem:
            done.expect(1, out='', err=f'*{problem}*')
        else:
            done.expect(0, out=f'{count + 1} answers are right')


@test
def answers_of_a_plugin(_):
    """They lie beside its module, bear its name, and are asked wherever nprof's are; of a plugin
    that is not there nobody asks."""
    answer(READ, say='{name} has {calls:count} calls')
    os.makedirs('plugins')
    os.rename('answers', 'plugins/lines.answers')
    os.makedirs('answers')
    module = os.path.join(os.environ['NPROF_TEST_PLUGINS'], 'lines.so')
    asked = [
        'run',
        '-q',
        '-a',
        'answers',
        '-a',
        'latency',
        '-s',
        'csv:table=findings',
        '-o',
        '-',
        trace(),
    ]
    for there in (False, True):
        if there:
            os.symlink(module, 'plugins/lines.so')
        done = run(*asked, env={'NPROF_PLUGIN_PATH': os.path.abspath('plugins')}).expect(0)
        names = [row['answer'] for row in csv.DictReader(io.StringIO(done.out))]
        check_same(names.count('lines.own'), 2 if there else 0, f'{names}: {done.err}')


@test
def answers_of_a_team(_):
    """A report has them, and says so with -v; a run has none."""
    answer(READ, say='{name} has {calls:count} calls')
    os.makedirs('config/nprof')
    os.rename('answers', 'config/nprof/answers')
    env = {'XDG_CONFIG_HOME': os.path.abspath('config')}
    done = run('report', '-v', '--findings', trace(), env=env).expect(
        0, err='*answers of a team are asked too: *config/nprof/answers'
    )
    check('read has 2 calls' in done.out and 'own: always, and 1 more' in done.out, done.out)
    done = run(
        'run',
        '-v',
        '-a',
        'answers',
        '-a',
        'latency',
        '-s',
        'csv:table=findings',
        '-o',
        '-',
        trace(),
        env=env,
    ).expect(0)
    check('team' not in done.out + done.err, done.err)


@test
def no_time_at_stake_is_none_and_not_unknown(_):
    for stake, shown in (('0', '0 ps'), ('null', 'unknown')):
        answer(
            f'select input, name, {stake} as stake from latency order by rowid limit 1', say='it'
        )
        os.makedirs('config/nprof', exist_ok=True)
        os.rename('answers', 'config/nprof/answers')
        done = run(
            'report',
            '-q',
            '--findings',
            trace(),
            env={'XDG_CONFIG_HOME': os.path.abspath('config')},
        ).expect(0)
        lines = [line.split('  ') for line in done.out.splitlines() if line.endswith('  it')]
        check_same([line[-2].strip() for line in lines], [shown], done.out)
        shutil.rmtree('config')


if __name__ == '__main__':
    main()
