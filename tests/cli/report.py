# SPDX-License-Identifier: Apache-2.0
"""report.py - the page of nprof report: what the samples give, on a terminal and in a pipe, and
that every real trace of NPROF_TEST_DATA gives a page that people can read."""

import csv
import glob
import html.parser
import io
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys

from answers_of_tools import SCHEMAS, problems, trace
from harness import (
    NPROF,
    Skip,
    add_test,
    check,
    check_same,
    environment,
    locale_of,
    main,
    on_terminal,
    read,
    run,
    run_node,
    sample,
    test,
    write,
)

DATA = os.environ.get('NPROF_TEST_DATA', '')
LONG = 'void kernel_with_a_name_' + 'that_goes_on_' * 20 + 'and_ends()'
with open(os.path.join(SCHEMAS, 'summary.json'), encoding='utf-8') as schema:
    SUMMARY = json.load(schema)
LINES = 116  # of a page at most: two screens


def kineto(kernels=3, gpus=1):
    """A Kineto trace: on each GPU kernels of 10 us with 5 us of nothing between two."""
    events = [
        {'ph': 'M', 'name': 'process_name', 'pid': gpu, 'args': {'name': 'python'}}
        for gpu in range(gpus)
    ]
    events += [
        {'ph': 'M', 'name': 'process_labels', 'pid': gpu, 'args': {'labels': f'GPU {gpu}'}}
        for gpu in range(gpus)
    ]
    for gpu in range(gpus):
        for i in range(kernels):
            events.append(
                {
                    'ph': 'X',
                    'cat': 'kernel',
                    'name': LONG,
                    'pid': gpu,
                    'tid': 7,
                    'ts': 1000 + 15 * i,
                    'dur': 10 + gpu,
                    'args': {'device': gpu, 'stream': 7, 'correlation': i + 1},
                }
            )
    devices = [{'id': gpu, 'name': 'Some GPU', 'totalGlobalMem': 16 << 30} for gpu in range(gpus)]
    return json.dumps({'schemaVersion': 1, 'deviceProperties': devices, 'traceEvents': events})


def page(*arguments):
    return run('report', *arguments).expect(0).out


def sections(text):
    """Title -> lines below it, of a plain page."""
    found = {}
    for block in text.split('\n\n'):
        title, _, rest = block.strip('\n').partition('\n')
        found['Summary' if title.startswith('Summary') else title.split(':')[0]] = rest.splitlines()
    return found


@test
def annotations_are_no_latencies(_folder):
    """A span around kernels is longer than each of them, and a wait for them as long: neither is
    ranked."""
    trace = json.loads(kineto())
    for category, name in ('gpu_user_annotation', 'around'), ('cuda_sync', 'Stream Sync'):
        trace['traceEvents'] += [
            {
                'ph': 'X',
                'cat': category,
                'name': name,
                'pid': 0,
                'tid': 7,
                'ts': 1000 + 60 * i,
                'dur': 50,
            }
            for i in range(3)
        ]
    write('trace.json', json.dumps(trace))
    latency = '\n'.join(sections(page('trace.json'))['Latency'])
    check('kernel_with_a_name' in latency, latency)
    check('around' not in latency and 'Stream Sync' not in latency, latency)
    tables = json.loads(run('report', '--full', '--format', 'json', 'trace.json').expect(0).out)[
        'tables'
    ]
    table = next(table for table in tables if table['name'] == 'latency')
    categories = [row[table['columns'].index('category')] for row in table['rows']]
    check(categories[0] == 'kernel' and len(categories) == 3, categories)


@test
def the_page_begins_with_the_answers(_folder):
    text = page(sample())
    titles = [line for line in text.splitlines() if line and line[0].isupper()]
    check_same(
        titles[1:4],
        [
            'Summary of XLA, 2x TPU v5 Lite, /device:TPU:1, slowest of 2, 4 steps',
            'COMPUTE-BOUND: the TPU computes 92.1 % of a mean period',
            'Devices',
        ],
        'titles',
    )
    check(len(text.splitlines()) <= LINES, f'{len(text.splitlines())} lines')


@test
def analyzers_join_those_of_the_page(_folder):
    usual = sections(page(sample()))
    check_same(list(sections(page('-a', 'steps', sample()))), list(usual), 'sections')
    device = ('-a', 'device:peak_flops=1e15', '-a', 'mfu:peak_flops=1e15')
    own = sections(page(*device, sample()))
    check_same(list(own), list(usual), 'sections with options')
    check([line for line in own['Utilisation'] if '1.00 PFLOP/s' in line], own['Utilisation'])
    run('report', '-a', 'nothing', sample()).expect(1, err='*no analyzer named "nothing"*')


@test
def the_page_of_a_vendor_has_its_tables(_folder):
    tools = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools')
    subprocess.run(
        [sys.executable, '-B', os.path.join(tools, 'furiosa-make.py'), 'make', '.', '7', '5'],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    subprocess.run(
        [sys.executable, '-B', os.path.join(tools, 'neuron-tools-make.py'), '.'],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    furiosa, neuron = sections(page('synthetic_spans.csv')), sections(page('synthetic_device.json'))
    check('Inferences' in furiosa and 'NPU operators' in furiosa, list(furiosa))
    check([title for title in neuron if title.startswith('Neuron metrics')], list(neuron))
    metrics = [lines for title, lines in neuron.items() if title.startswith('Neuron metrics')][0]
    check(not [line for line in metrics if 'unknown' in line], metrics)
    for text in (page(sample()), page('--full', sample())):
        check('Inference' not in text and 'NeuronCores' not in text, 'tables of other vendors')


@test
def time_of_lost_rows_is_not_idle(_folder):
    whole = kineto(kernels=4)
    at = whole.index('{"ph": "X"', whole.index('"correlation": 2'))
    path = write('kineto.json', whole[:at] + '{"ph" "X", "ts": 1}, ' + whole[at:])
    done = run('report', '--keep-going', path)
    done.expect(3)
    found = sections(done.out)
    lost = [line for line in found['Summary'] if line.startswith('  not recorded')]
    check(
        lost and '18.2 %' in lost[0], done.out
    )  # 10 of 55 us: 5 before the second kernel, 5 behind it
    check('lost' in found['Devices'][0], done.out)
    check(
        'lost' not in sections(page(write('whole.json', whole)))['Devices'][0],
        'lost, where nothing is',
    )


@test
def facts_have_their_unit(_folder):
    text = page('-v', write('kineto.json', kineto()))
    check(re.search(r'memory_size +16\.0 GiB', text), text)


@test
def a_profile_of_hosts_says_so(_folder):
    path = write(
        'host.json',
        json.dumps([{'ph': 'X', 'name': 'work', 'pid': 1, 'tid': 1, 'ts': 1, 'dur': 2}] * 2),
    )
    check(
        'UNDETERMINED: ' in page(path) and 'CPU time       4.00 us work' in page(path), page(path)
    )


@test
def names_are_whole_in_a_pipe_and_cut_on_a_terminal(_folder):
    path = write('kineto.json', kineto())
    check(LONG in page('--names=full', path), 'a name is cut in a pipe')
    text = on_terminal(100, path)
    check(LONG not in text and '…' in text, text)
    check('name cut;' in text or 'names cut;' in text, text)


@test
def names_of_the_first_screen_have_the_room_of_the_terminal(_folder):
    """Whole in each format that is no terminal; on one of 80 columns cut, on a wide one by its
    room."""
    names = [
        'the_first_kernel_' + 'a' * 40 + '_end',
        'another_kernel_' + 'b' * 30 + '_end',
        'c' * 300,
    ]
    rows = [
        {
            'ph': 'X',
            'name': name,
            'cat': 'kernel',
            'pid': 0,
            'tid': 7,
            'ts': 100 * n + start,
            'dur': 30 - 5 * n,
            'args': {'device': 0, 'stream': 7},
        }
        for start in range(0, 900, 300)
        for n, name in enumerate(names)
    ]
    path = write('names.json', json.dumps({'traceEvents': rows}))
    for file in ('-', 'a.html', 'a.md', 'a.json'):
        text = run('report', '-o', file, path).expect(0).out or read(file).decode()
        text = text.replace('\\_', '_')
        check('…_end' not in text and names[0] in text, f'{file}: {text[:900]}')
        (line,) = [s for s in text.split('\n') if 'top kernel' in s] if file != 'a.json' else [text]
        check(names[0] in line, f'{file}: {line[:900]}')
    line = {
        w: [s for s in on_terminal(w, path).splitlines() if 'top kernel' in s][0] for w in (80, 200)
    }
    check('…' in line[80] and names[0] not in line[80] and len(line[80]) <= 80, line[80])
    check(names[0] in line[200] and names[1] in line[200] and len(line[200]) <= 200, line[200])


@test
def no_line_is_wider_than_the_terminal(_folder):
    path = write('kineto.json', kineto(gpus=2))
    for width in (80, 100, 140, 200):
        for file in (path, sample()):
            for line in on_terminal(width, file).splitlines():
                check(
                    len(line) <= width or line.startswith(('Facts of', 'All tables', 'Profile')),
                    f'{len(line)} columns of {width}: {line}',
                )


@test
def tables_of_one_device_are_of_the_busiest(_folder):
    text = page(write('kineto.json', kineto(gpus=2)))
    check('the busiest of 2 devices' in text and 'GPU 1' in text, text)


@test
def columns_without_room_are_named(_folder):
    text = on_terminal(60, sample())
    check('no room for: ' in text, text)


@test
def top_and_by_hold_for_every_table(_folder):
    for title, lines in sections(page('--top', '1', sample())).items():
        if title not in ('Profile', 'Summary', 'Not shown'):
            rows = [line for line in lines[1:] if re.search(r'\d (ms|us|%|TFLOP)', line)]
            check(len(rows) <= 1, f'{title}: {rows}')
    operators = sections(page('--by', 'mean', '--top', '2', sample()))
    rows = [lines for title, lines in operators.items() if title.startswith('Operators of')][0]
    check(rows[1].split()[-1] == 'while.1', rows)
    check_same(operators['Summary'], sections(page(sample()))['Summary'], 'summary')


@test
def unknown_column_is_named_with_those_there_are(_folder):
    run('report', '--by', 'nosuch', sample()).expect(
        1, out='', err='*by=nosuch: no table has*operator*'
    )


@test
def full_has_all_tables_and_all_columns(_folder):
    text = page('--full', sample())
    for part in ('flops_source', 'Stats of planes', 'Tracks', 'p99_9'):
        check(part in text, part)
    check('Not shown' not in text, text)


@test
def markdown_has_the_same_tables(_folder):
    plain = [t for t in sections(page(sample())) if t not in ('Profile', 'Not shown')]
    text = page('--format', 'markdown', sample())
    for title in plain:
        check(f'## {title}' in text, title)


def csv_of_gaps():
    done = run(
        'run', '-a', 'mfu', '-s', 'csv:table=mfu,columns=step+operator+mfu', '-o', '-', sample()
    )
    return list(csv.reader(io.StringIO(done.expect(0).out)))


@test
def a_key_that_does_not_apply_is_no_unknown(_folder):
    """`-` for people; nothing in csv, as for what is unknown."""
    text = run('run', '-a', 'mfu', '-s', 'text:tables=mfu', '-o', '-', sample()).expect(0).out
    row = [line.split() for line in text.splitlines() if '(total)' in line][0]
    check('-' in row, row)  # the step
    check('unknown' not in text, text)
    check_same(csv_of_gaps()[1][:2], ['', '(total)'], 'csv')


@test
def a_file_alone_gives_its_report(folder):
    check_same(run(sample()).expect(0).out, page(sample()), 'nprof FILE')
    check_same(
        run('--top', '1', sample()).expect(0).out,
        page('--top', '1', sample()),
        'nprof --top 1 FILE',
    )
    run('absent.json').expect(2, err='*absent.json: cannot be read*')
    path = write('report', kineto())  # a command comes first
    run('report').expect(1, err='*no input*')
    check(
        'kernel_with_a_name' in run('./report').expect(0).out, 'a file with the name of a command'
    )
    check(os.path.exists(path) and folder, 'the file')


class Page(html.parser.HTMLParser):
    """Reads a page as a browser would: the cells of each table, and all that it would fetch."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tables, self.fetched, self.title = [], {}, [], ''
        self.feed(text)
        self.close()
        check_same(self.open, [], 'elements that do not end')

    def handle_starttag(self, tag, attrs):
        self.fetched += [
            value for name, value in attrs if name in ('src', 'href', 'action', 'data', 'srcset')
        ]
        if tag not in ('meta',):
            self.open.append(tag)
        if tag in ('h2', 'title') and 'svg' not in self.open:
            self.title = ''
        if tag == 'tr':
            self.tables.setdefault(self.title, []).append([])
        if tag in ('td', 'th'):
            self.tables[self.title][-1].append(['', dict(attrs)])

    def handle_endtag(self, tag):
        check_same(self.open.pop(), tag, 'element that ends')

    def handle_data(self, data):
        if 'svg' in self.open:  # a picture's texts are no cells
            return
        if self.open and self.open[-1] in ('h2', 'title'):
            self.title += data
        if {'td', 'th'} & set(self.open):
            self.tables[self.title][-1][-1][0] += data


EVIL = '<script>alert("1")</script>&amp;\u202e<img src=x>'


@test
def the_ending_of_the_output_says_the_format(_folder):
    path = write('kineto.json', kineto())
    for ending, form in (
        ('md', 'markdown'),
        ('html', 'html'),
        ('HTM', 'html'),
        ('json', 'json'),
        ('txt', 'plain'),
        ('csv', 'csv'),
        ('other', 'plain'),
    ):
        run('report', '-o', f'r.{ending}', path).expect(0, out='')
        with open(f'r.{ending}', encoding='utf-8') as file:
            found, other = (
                re.sub('(<p>nprof [^:]*: nprof report) [^<]*', r'\1', text)  # each has its own
                for text in (file.read(), page('--format', form, path))
            )
        check_same(found, other, f'r.{ending}')
    run('report', '-o', 'j.md', '--format', 'json', path).expect(0)
    with open('j.md', encoding='utf-8') as file:
        json.load(file)


@test
def json_is_what_limits_the_run(_folder):
    """Of 10 ms a step 7 compute, 1 copies, 2 are idle; to the byte what tool verdict says."""
    path = trace('a.json')
    text = page('--format', 'json', path)
    said = json.loads(text)
    check_same(problems(said, SUMMARY), [], text)
    check_same(
        (said['group'], said['steps'], said['base_ns'], sum(part['ns'] for part in said['parts'])),
        ('compute', 3, 30_000_000, 30_000_000),
        text,
    )
    answer = run('ask', '--json', 'verdict', path).expect(0).out
    check(f'"data":{text.rstrip()},' in answer, f'{text} is not in {answer}')
    run('view', '--ingest-only', '--store', 'store', path).expect(0)
    (stored,) = [name for name in os.listdir('store') if name.startswith('n_')]
    check_same(page('--format', 'json', f'store/{stored}'), text, 'of a stored profile')
    one = json.loads(page('--format', 'json', '--step', '2', path))
    check_same((one['steps'], one['base_ns']), (1, 10_000_000), one)
    for shape in (['--full'], ['--only', 'kernels'], ['--top', '3'], ['--names', 'short']):
        done = run('report', '--format', 'json', *shape, path, env={'TMPDIR': os.getcwd()})
        check('tables' in json.loads(done.expect(0).out), shape)
    left = [name for name in os.listdir('.') if name.startswith('nprof-store')]
    check_same(left, [], 'what stays behind')
    run('report', '--format', 'json', 'none.json').expect(2, out='', err='*none.json*')


@test
def markdown_is_what_was_asked_for(_folder):
    """One table, and neither a title nor what else could be asked; operators stand in for kernels
    where there are none, and beside them where they are named."""
    path = write('kineto.json', kineto())
    for only, input_, heads in (
        ('kernels', path, 1),
        ('kernels,operators', path, 2),
        ('operators,kernels', path, 2),
        ('kernels', sample(), 1),
    ):
        text = page('--format', 'markdown', '--only', only, '--top', '1', input_)
        lines = text.splitlines()
        check_same(sum(line.startswith('## ') for line in lines), heads, f'{only}: {text}')
        check('# Profile' not in text and '--full' not in text, text)


@test
def a_page_says_how_it_was_made(_folder):
    """The command as it was given, the inputs by name, and when they were recorded."""
    paths = [write(f'{name}.json', kineto()) for name in ('a', 'b c', 'd', 'e')]
    for path in paths:
        with open(path, 'r+', encoding='utf-8') as file:
            text = json.load(file)
            text['baseTimeNanoseconds'] = 1623142623000000000
            file.seek(0)
            json.dump(text, file)
    command = "report -q -o page.html --only kernels --top 3 a.json 'b c.json' d.json e.json"
    run(*shlex.split(command)).expect(0)
    with open('page.html', encoding='utf-8') as file:
        page = html.unescape(file.read())
    check(f'nprof {command}<' in page, page)
    check('Recorded 2021-06-08 08:57 UTC<' in page, page)
    check('<title>nprof: a.json, b c.json, d.json and 1 more</title>' in page, page)


@test
def a_page_for_a_browser_needs_nothing_else(_folder):
    path = write('kineto.json', kineto().replace(LONG, EVIL.replace('"', '\\"')))
    text = page('--format', 'html', path)
    found = Page(text)
    check_same(found.fetched, [], 'what it fetches')
    check('http' not in text.replace('http-equiv', ''), 'an address')
    check_same(text.count('<script'), 1, 'scripts')
    rows = [
        row for title, rows in found.tables.items() if title.startswith('Kernels') for row in rows
    ]
    check('<script>alert("1")</script>&amp;\\xe2\\x80\\xae<img src=x>' in rows[1][-1][0], rows)
    heads = [cell[0] for cell in rows[0]]
    exact = {t['name']: t for t in json.loads(page('--full', '--format', 'json', path))['tables']}[
        'kernels'
    ]
    share = exact['rows'][0][exact['columns'].index('share')]
    check_same(float(rows[1][heads.index('share')][1]['data-v']), share, 'the value of a cell')


SORT = """
const fs = require('fs'), script = fs.readFileSync(0, 'utf8').match(/<script>([^]*)<[/]script>/)[1];
const cell = (text, v) => ({ textContent: text, dataset: v === undefined ? {} : { v: String(v) } });
const rows = [['b', 10], ['c', 9], ['a', undefined], ['d', 100]].map(r => ({ cells: [cell(r[0]), cell('', r[1])] }));
const clicks = [], seen = [];
const head = (name, c) => ({ className: name, attr: null, firstChild: { addEventListener: (_, f) => clicks[c] = f },
  getAttribute () { return this.attr }, setAttribute (_, v) { this.attr = v }, removeAttribute () { this.attr = null } });
const heads = [head('', 0), head('n', 1)];
const body = { rows, append: (...all) => seen.push(all.map(r => r.cells[0].textContent).join('')) };
global.document = { querySelectorAll: () => [{ tBodies: [body], tHead: { rows: [{ cells: heads }] } }] };
eval(script);
clicks[0](); clicks[0](); clicks[1](); clicks[1]();
console.log(seen.join(' '));
"""


@test
def tables_of_a_page_for_a_browser_sort(_folder):
    if not shutil.which('node'):
        raise Skip('Node.js is not here')
    write('sort.js', SORT)
    done = run_node(['sort.js'], input=page('--format', 'html', sample()), text=True)
    check_same((done.stdout.strip(), done.stderr), ('abcd dcba dbca cbda', ''), 'orders')


@test
def a_csv_file_holds_one_table_as_sink_csv_writes_it(_folder):
    run('report', '-o', 'r.csv', '--only', 'devices', sample()).expect(0)
    run(
        'run', '-a', 'device', '-a', 'mfu', '-s', 'csv:table=devices', '-o', 's.csv', sample()
    ).expect(0)
    with open('r.csv', encoding='utf-8') as ours, open('s.csv', encoding='utf-8') as theirs:
        check_same(ours.read(), theirs.read(), 'r.csv')
    run('report', '-o', 'r.csv', '--only', 'devices,gaps', sample()).expect(
        1, err='*a CSV file holds one table*'
    )
    run('report', '-o', 'r.csv', '--top', '3', sample()).expect(1, err='*--top*leave it out*')


@test
def a_csv_file_takes_the_options_of_its_sink(_folder):
    """So it asks the locale of its user where a spreadsheet opens it, by one rule."""
    german = {
        **locale_of('de_DE'),
        'ASAN_OPTIONS': 'detect_leaks=0',
    }  # glibc's newlocale loses memory where LOCPATH is set
    for options, env in (
        ('excel=yes', german),
        ('excel=yes', {}),
        ('decimal=\\,', {}),
        ('delimiter=tab', {}),
        ('time=ms', {}),
    ):
        run(
            'report',
            '-o',
            'r.csv',
            '--format',
            'csv:' + options,
            '--only',
            'devices',
            sample(),
            env=env,
        ).expect(0)
        run(
            'run',
            '-a',
            'device',
            '-a',
            'mfu',
            '-s',
            'csv:table=devices,' + options,
            '-o',
            's.csv',
            sample(),
            env=env,
        ).expect(0)
        check_same(read('r.csv'), read('s.csv'), options)
    run(
        'report', '--format', 'csv:excel=yes', '-o', 'r.csv', '--only', 'mfu', sample(), env=german
    ).expect(0)
    rows = list(
        csv.DictReader(io.StringIO(read('r.csv').decode('utf-8-sig'), newline=''), delimiter=';')
    )
    check(
        re.fullmatch(r'0,\d+', rows[0]['mfu']) and not any('.' in row['mfu'] for row in rows),
        rows[0],
    )
    run('report', '--format', 'csv:nothing=1', '-o', 'r.csv', sample()).expect(
        1, err='*csv*nothing*'
    )
    run('report', '--format', 'csv:table=gaps', '-o', 'r.csv', sample()).expect(
        1, err='*--only TABLE names the table*'
    )
    run('report', '--format', 'json:top=1', sample()).expect(1)


@test
def a_name_that_promises_another_format_is_refused(folder):
    for name, ending in (
        ('r.pdf', '.pdf'),
        ('r.docx', '.docx'),
        ('r.SVG', '.svg'),
        ('r.json.gz', '.gz'),
        ('r.parquet', '.parquet'),
    ):
        run('report', '-o', name, sample()).expect(
            1,
            out='',
            err=f'*-o {name}: no {ending} is written here: let the name end in .md, *or .txt*--format*',
        )
        check(not os.path.exists(os.path.join(folder, name)), name)
    for name in ('r.log', 'r', 'v1.2', 'r.TXT'):
        run('report', '-o', name, sample()).expect(0)
        check_same(read(os.path.join(folder, name)).decode(), page(sample()), name)
    run('report', '--format', 'plain', '-o', 'r.pdf', sample()).expect(0)
    os.mkdir(os.path.join(folder, 'of.gz'))
    run('report', '-o', 'of.gz', sample()).expect(0)
    check(os.path.exists(os.path.join(folder, 'of.gz', 'report.txt')), 'in a folder')


@test
def a_number_of_rows_is_one(_folder):
    """-1 is how sink text spells its preset; nobody who writes it means that."""
    for top in ('-1', '-2', 'x', '', '1.5', '2000000000'):
        for command in (('report',), (), ('reduce',)):
            run(*command, '--top', top, sample()).expect(
                1, out='', err=f'*--top {top}: expected 0 (all) or more*'
            )


@test
def only_the_tables_that_are_asked_for(_folder):
    check_same(
        list(sections(page('--only', 'gaps', sample())))[1:-1], ['Longest idle gaps'], 'titles'
    )
    check_same(list(sections(page('--only', 'summary', sample())))[1:-1], ['Summary'], 'titles')
    both = list(sections(page('--only', 'layers, devices', sample())))
    check_same(set(both[1:-1]), {'Devices', 'Layers'}, 'titles')
    check('Idle time of steps by cause' in sections(page('--only', 'idle', sample())), 'idle')
    names = [
        t['name']
        for t in json.loads(page('--only', 'gaps,facts', '--format', 'json', sample()))['tables']
    ]
    check_same(names, ['gaps', 'facts'], 'tables in JSON')
    check('overlap' in page('--only', 'devices', '--full', sample()), 'all columns')
    check(
        'linked' in page('--only', 'operators_linked', write('kineto.json', kineto())),
        'a table without a view',
    )
    check(
        'Tables without rows: operators_linked' in page('--only', 'operators_linked', sample()),
        'no rows',
    )
    run('report', '--only', 'gasp', sample()).expect(
        1, out='', err='*--only gasp: no component makes*did you mean gaps?*'
    )
    run('report', '--only', '', sample()).expect(1, out='')


@test
def tables_are_listed(_folder):
    everywhere = [line.split()[0] for line in page('--tables').splitlines()]
    here = {line.split()[0]: line.split()[1] for line in page('--tables', sample()).splitlines()}
    check({'inputs', 'devices', 'inferences', 'tensors'} <= set(everywhere), everywhere)
    check_same(len(everywhere), len(set(everywhere)), 'tables')
    check_same(set(here) - set(everywhere), set(), 'tables that no component makes')
    check_same((here['devices'], here['skipped']), ('2', '0'), 'rows')


MARK = 'sed "s/^/P /"'


@test
def a_pager_shows_what_is_longer_than_the_screen(_folder):
    plain = on_terminal(100, sample())
    lines = plain.count('\n')
    check_same(
        on_terminal(100, sample(), rows=lines, NPROF_PAGER=MARK),
        ''.join(f'P {line}\n' for line in plain.splitlines()),
        'paged',
    )
    check_same(
        on_terminal(100, sample(), rows=lines + 1, NPROF_PAGER=MARK), plain, 'what fits the screen'
    )
    check_same(on_terminal(100, '--no-pager', sample(), NPROF_PAGER=MARK), plain, '--no-pager')
    check_same(
        on_terminal(100, sample(), NPROF_PAGER='', PAGER=MARK), plain, 'NPROF_PAGER is empty'
    )
    check_same(on_terminal(100, sample(), NPROF_PAGER='cat', PAGER=MARK), plain, 'cat')
    check_same(
        on_terminal(100, sample(), NPROF_PAGER='no-such-pager 2>/dev/null'), plain, 'no such pager'
    )
    check_same(
        on_terminal(100, sample(), NPROF_PAGER='head -n 1'),
        plain.splitlines()[0] + '\n',
        'a pager that ends',
    )
    check_same(
        run('report', sample(), env={'NPROF_PAGER': MARK}).expect(0).out, page(sample()), 'a pipe'
    )
    coloured = on_terminal(100, sample(), NO_COLOR='', NPROF_PAGER='sed -n "s/.*LESS/&/;1p"')
    check('\033[1m' in coloured, coloured)


@test
def colours_come_when_they_are_asked_for(_folder):
    check('\033' not in page(sample()), 'in a pipe')
    check('\033' not in on_terminal(100, sample()), 'NO_COLOR')
    check('\033[1m' in on_terminal(100, sample(), NO_COLOR=''), 'on a terminal')
    check('\033' not in on_terminal(100, sample(), NO_COLOR='', TERM='dumb'), 'TERM=dumb')
    check('\033' not in on_terminal(100, '--color=never', sample(), NO_COLOR=''), '--color=never')
    always = page('--color=always', sample())
    check_same(
        re.sub('\033\\[[0-9;]*m', '', always), page(sample()), 'the text without its colours'
    )
    run('report', '--color=sometimes', sample()).expect(
        1, out='', err='*color: "sometimes" is not one of auto, always, never*'
    )
    check('\033[1m' in run('info', '--color=always', sample()).expect(0).out, 'info')


@test
def a_bad_number_looks_bad(_folder):
    red, yellow, dim = '\033[1;31m', '\033[33m', '\033[2m'
    idle = page('--color=always', write('kineto.json', kineto()))  # busy 75 %
    check(f'{yellow}75.0 %' in idle and f'{dim}unknown' in idle and red not in idle, idle)
    worse = kineto(kernels=2).replace('"ts": 1015', '"ts": 1090')  # 20 of 100 us
    check(f'{red}20.0 %' in page('--color=always', write('worse.json', worse)), worse)
    check(red not in page('--color=always', sample()), 'a profile that is busy')


@test
def harmless_things_come_with_v(_folder):
    whole = kineto()
    path = write('kineto.json', whole[:-1] + ', "myOwnMember": [{"a": 1}]}')
    check('Skipped' not in page(path) and 'skipped (1 row)' in page(path), page(path))
    for more in ('-v', '--full'):
        check('myOwnMember' in page(more, path), more)
    check('myOwnMember' in run('info', path).expect(0).out, 'info')


@test
def a_run_says_on_a_terminal_what_it_wrote(_folder):
    def said(*arguments):
        ours, theirs = pty.openpty()
        subprocess.run(
            [NPROF, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            env=environment(),
            check=True,
        )
        os.close(theirs)
        try:
            text = os.read(ours, 65536).decode()
        except OSError:  # nothing was said
            text = ''
        os.close(ours)
        return re.sub(r'.*\r|\x1b\[[0-9;]*[A-Za-z]', '', text.replace('\r\n', '\n')).strip()

    size = len(run('run', '-s', 'csv:table=tracks', '-o', '-', sample()).expect(0).out.encode())
    check(1024 <= size < 10240, size)
    size = f'{size / 1024:.2f} KiB'
    check_same(
        said('run', '-s', 'csv:table=tracks', '-o', 't.csv', sample()).replace('\u00a0', ' '),
        f't.csv ({size}) from 242 rows'.join(('wrote ', '')),
        'one file',
    )
    many = said('run', '-a', 'device', '-a', 'mfu', '-o', 'out', sample())
    check(
        'out/events.csv' in many and ' more file' in many and many.endswith(' from 242 rows'), many
    )
    check('wrote' not in said('run', '-q', '-o', 'quiet', sample()), '-q')
    check('wrote' not in said('run', '--no-progress', '-o', 'silent', sample()), '--no-progress')
    check('wrote' not in said('run', '-s', 'text', '-o', '-', sample()), 'stdout')
    check('wrote' not in run('run', '-o', 'pipe', sample()).expect(0).err, 'no terminal')


def named(*names):
    """The names of a page of kernels that are called so, the longest first."""
    events = [
        {
            'ph': 'X',
            'cat': 'kernel',
            'name': name,
            'pid': 0,
            'tid': 7,
            'ts': 1000 + 100 * i,
            'dur': 50 - i,
            'args': {'device': 0, 'stream': 7},
        }
        for i, name in enumerate(names)
    ]
    path = write(
        'names.json',
        json.dumps({'traceEvents': events, 'deviceProperties': [{'id': 0, 'name': 'GPU'}]}),
    )
    lines = sections(page('--only', 'kernels', '--top', '20', path))['Kernels']
    at = lines[0].index('kernel')
    return path, [line[at:].strip() for line in lines[1:] if ' us ' in line]


ADD = (
    'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> '
    '>(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)'
)


@test
def names_in_reasons_are_short_too(_folder):
    """The note says before which work the longest gap is."""
    events = [
        {
            'ph': 'X',
            'cat': 'kernel',
            'name': ADD,
            'pid': 0,
            'tid': 7,
            'ts': at,
            'dur': 10,
            'args': {'device': 0, 'stream': 7},
        }
        for at in (1000, 1020, 2030, 2050)
    ]
    (note,) = (
        line
        for line in run('report', '-q', write('gap.json', json.dumps({'traceEvents': events})))
        .expect(0)
        .out.split('\n')
        if line.startswith('  note ')
    )
    check('one gap of 1.00 ms (' in note, note)
    check('before "vectorized_elementwise_kernel<CUDAFunctor_add>") is ' in note, note)


@test
def no_launch_is_late_where_nothing_follows(_folder):
    """A step of 9 ms whose one kernel ends after 30 us."""
    call = {'ph': 'X', 'pid': 9, 'tid': 9}
    events = [
        {**call, 'cat': 'user_annotation', 'name': 'ProfilerStep#1', 'ts': 0, 'dur': 9000},
        {**call, 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'ts': 10, 'dur': 5},
        {'ph': 'X', 'cat': 'kernel', 'name': 'gemm', 'pid': 0, 'tid': 7, 'ts': 20, 'dur': 10},
    ]
    events[1]['args'] = {'correlation': 1}
    events[2]['args'] = {'correlation': 1, 'device': 0, 'stream': 7}
    page = run('report', '-q', write('end.json', json.dumps({'traceEvents': events}))).expect(0).out
    check('one gap of 8.97 ms (before the end) is ' in page, page)


@test
def names_of_kernels_are_short_and_never_alike(_folder):
    path, short = named(
        ADD,
        '_Z9transposeIfEvPT_i',
        'void a::gemm<float, 128>(float*)',
        'void b::gemm<float, 64>(float*)',
        'void a::pool<1>(int)',
        'void b::pool<1>(int)',
        'void c::copy<1>(int)',
        'void c::copy<1>(long)',
        'Memcpy HtoD (Host -> Device)',
        '_Znonsense',
        'void (anonymous namespace)::fill<2>(int) [clone .kd]',
    )
    check_same(
        short,
        [
            'vectorized_elementwise_kernel<CUDAFunctor_add>',
            'transpose',
            'gemm<float, 128>',
            'gemm<float, 64>',
            'a::pool<1>',
            'b::pool<1>',
            'void c::copy<1>(int)',
            'void c::copy<1>(long)',
            'Memcpy HtoD (Host -> Device)',
            '_Znonsense',
            'fill',
        ],
        'names',
    )
    for full in (page('--only', 'kernels', '--names=full', path), page('--full', path)):
        check(ADD in full and '_Z9transposeIfEvPT_i' in full, full)
    check(ADD in page('--full', '--format', 'json', path).replace('\\', ''), 'JSON')
    deep = 'void f<' + 'Op<' * 50000 + 'int' + '>' * 50001 + '(int)'
    check_same(named(deep)[1], [deep], 'a name of many brackets')
    digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
    doubled = '_Z1f1AIiiE' + ''.join(f'S_IS{d}_S{d}_E' for d in digits[:30])
    check_same(named(doubled)[1], [doubled], 'a name that doubles with every piece')
    compares = (
        'std::enable_if<(((8)>(0)))&&v::is<c10::BFloat16>::exists, void>::type v::norm<8>(long, int)',
        'void run<(a)<(b), int (*)(int)>(int (*)(int))',
        'void w::at<int>(int)::{lambda(int)#1}::operator()(int)->int',
    )
    check_same(
        named(*compares)[1],
        ['norm', 'run', 'void w::at<int>(int)::{lambda(int)#1}::operator()(int)->int'],
        '< and > that compare',
    )
    scan = (
        'r::scan<r::plus, long>(void*)::{lambda(auto:1)#1}::operator()<r::no<false>, r::no<true> >('
    )
    within = (
        f'void r::trampoline<r::config<long>, {scan}r::no<false>, r::no<true>) const::{{lambda(int)#2}}, '
        f'r::selector>({scan}r::no<false>, r::no<true>) const::{{lambda(int)#2}})',
        'void at::elementwise<128, at::run<at::copy(at::Base&)::{lambda()#3}::operator()() const::'
        '{lambda(long)#1}>(at::Base&)::{lambda(int)#1}>(int)',
        'void at::reduce<at::sum<float>::operator ()(at::Base &)::[lambda(float) (instance 1)]>(int)',
        'std::ostream& std::operator<< <char>(std::ostream&, char)',
        'bool w::operator< <int>(w::A<int> const&, w::A<int> const&)',
        'w::A<3>::operator->()',
        'w::A::operator bool() const',
        'void w::tensor_operator<float, 3>(float*)',
        'ck::gemm<ck::my_operator<float>, AddOp>(float)',
        'auto w::operator<=><int, float>(int, float)',
        'void w::each<&w::A::operator><int>, float>(float*)',
    )
    check_same(
        named(*within)[1],
        [
            'trampoline<scan::{lambda(int)#2}>',
            'elementwise<run<copy::{lambda(long)#1}>>',
            'reduce<[lambda(float) (instance 1)]>',
            'operator<<',
            'operator<',
            'operator->',
            'operator bool',
            'tensor_operator',
            'gemm<AddOp>',
            'operator<=>',
            'each',
        ],
        'lambdas by their functions, and operators',
    )
    wrapped = (
        'void cutlass::device_kernel<dpsk::cuda::fp8_acc::GemmKernel>(dpsk::cuda::fp8_acc::GemmKernel::Params)',
        'void cutlass::device_kernel<flash::FlashAttnBwd<flash::Mainloop<2, cute::C<1> >, float> >(int)',
        'void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu>(int)',
        'void ck_tile::kentry<256, 1, ck_tile::FmhaFwdKernel<ck_tile::Pipe<64> > >(int)',
        'void cutlass::Kernel<64>(int)',
        'void w::SuperKernel<float, w::Tile>(int)',
        'void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::Main> > >(int)',
        'void cutlass::device_kernel<(anonymous namespace)::enable_sm100f_only<fmha::kernel::FmhaMla<int> > >(int)',
        'void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<a::kernel::GemmUniversal<int> > >(int)',
        'void cutlass::Kernel2<vllm::enable_sm75_to_sm80<b::kernel::GemmVisitor<int> > >(int)',
        'void ck_tile::kentry<ck_tile::gfx942_t, 1, ck_tile::FmhaBwdKernel<int>, int>(int)',
        'void ck_tile::kentry<ck_tile::MoeSorting<int>, int>(int)',
        'void w::each<w::enable_checks<w::AddOp> >(int)',
        'void cutlass::Kernel<w::enable_>(int)',
    )
    check_same(
        named(*wrapped)[1],
        [
            'device_kernel<fp8_acc::GemmKernel>',
            'device_kernel<flash::FlashAttnBwd>',
            'Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu>',
            'kentry<ck_tile::FmhaFwdKernel>',
            'Kernel',
            'SuperKernel',
            'device_kernel<flash::FlashAttnFwdSm90>',
            'device_kernel<kernel::FmhaMla>',
            'device_kernel<kernel::GemmUniversal>',
            'Kernel2<kernel::GemmVisitor>',
            'kentry<ck_tile::FmhaBwdKernel>',
            'kentry<ck_tile::MoeSorting>',
            'each<enable_checks<AddOp>>',
            'Kernel<w::enable_>',
        ],
        'wrappers by the kernels that they start',
    )
    how = '_SN_LDSB0_AFC1_AFEM1_GSU1_ISA942_K1_LBSPPA0_LPA0_MIAV0_MO40_NTn1_WS64_WG'
    tiles = (
        'Cijk_Ailk_Bljk_BBS_BH_MT256x224x64_MI16x16x16x1',
        'Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT1x4x256',
        'Custom_Cijk_Alik_Bljk_HHS_BH_MT64x16x64_MI16x16x1',
    )
    alike = tuple(f'Cijk_Ailk_Bljk_SB_MT8x8x8{how}{size}' for size in ('32_4_1', '64_4_1'))
    others = (
        'Cijk_Ailk_Bljk_SB',
        'Cijk_Ailk_Bljk_SB_MT8x8x8',
        'my_MT8x8x8_MI8x8x8x8_SN',
        'Cijk_MTA8_SN',
    )
    check_same(
        named(*(tile + how + '64_4_1' for tile in tiles), *alike, *others)[1],
        [*tiles, *alike, *others],
        'names by Tensile up to their tile, where no other reads alike',
    )
    run('report', '--names', 'some', path).expect(1, err='*--names some: expected short or full*')


@test
def nothing_is_cut_in_a_pipe(_folder):
    path = write('kineto.json', kineto())
    full = page('--full', path)
    check(LONG in full and 'cut;' not in full and '…' not in full.replace('… and', ''), full)
    check(LONG in run('run', '-s', 'text:tables=events', '-o', '-', path).expect(0).out, 'events')


def check_page(text):
    check(
        not re.search(r'[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]', text),
        'a control character',
    )
    for word in re.findall(r'(?<![\w.:])[-+]?(?:nan|inf|NaN|Infinity)(?![\w.:(])', text):
        check(False, f'{word}: {[line for line in text.splitlines() if word in line][:3]}')
    check(len(text.splitlines()) <= LINES, f'{len(text.splitlines())} lines')


def add_real(path):
    def test_real(_folder):
        check_page(page(path))
        json.loads(page('--full', '--format', 'json', path))
        summary = page('--format', 'json', path)
        check_same(problems(json.loads(summary), SUMMARY), [], summary)
        check(len(summary.encode()) <= 4000, len(summary))

    add_test('real-' + os.path.basename(path), test_real)


def skip_real(_folder):
    raise Skip('NPROF_TEST_DATA names no folder with real traces')


@test
def rows_of_a_table_that_meet_a_condition(_folder):
    """The same rows in each format; that none is left is wrong use, and nothing is written."""
    path = sample()

    def table(*options):
        out = run('report', '-q', *options, '--format', 'csv', path).expect(0).out
        return list(csv.DictReader(io.StringIO(out)))

    every = table('--only', 'operators')
    for condition, fits in (
        ('calls > 4', lambda r: int(r['calls']) > 4),
        ('self > 100 us', lambda r: float(r['self_ns']) > 100000),
        (
            'share >= 5 % and not level = hlo',
            lambda r: r['share'] and float(r['share']) >= 0.05 and r['level'] != 'hlo',
        ),
        (
            'operator ~ /^[a-f].*[0-9],?$/ or calls = 12',
            lambda r: re.search('(?i)^[a-f].*[0-9],?$', r['operator']) or r['calls'] == '12',
        ),
    ):
        wanted = [r for r in every if fits(r)]
        check(0 < len(wanted) < len(every), f'{condition}: {len(wanted)} of {len(every)}')
        asked = ('--only', f'operators where {condition}')
        check_same(table(*asked), wanted, condition)
        said = run('report', '-q', *asked, '--format', 'json', '--top', '0', path).expect(0).out
        check_same(len(json.loads(said)['tables'][0]['rows']), len(wanted), condition)
    none = run('report', '-q', '--only', 'devices, ops where self>99s', '-o', 'x.html', path)
    none.expect(1, err='*operators where self>99s: none of the * rows of the table meets it*')
    check(not os.path.exists('x.html'), 'a page without rows')
    for asked, wrong in (
        ('operators where', 'expected a condition'),
        ('operators where nix = 1', 'at character 1: expected a column of the table'),
        ('operators where self > 5', 'at character 8: expected a time with its unit'),
        ('operator where calls > 3', 'did you mean operators?'),
    ):
        run('report', '--only', asked, path).expect(1, err=f'*{wrong}*')


if __name__ == '__main__':
    real = [
        p
        for folder in ('xplane', 'json')
        for p in sorted(glob.glob(os.path.join(DATA, folder, '*')))
        if DATA and not os.path.basename(p).startswith(('bad_', 'not_a_trace'))
    ]
    for real_path in real:
        add_real(real_path)
    if not real:
        add_test('real', skip_real)
    main()
