# SPDX-License-Identifier: Apache-2.0
"""plugins.py - what nprof plugins tells: people in tables, programs in JSON, completions in lists;
and what it says about plugins that are hidden, refused or broken."""

import json
import os
import shutil

from harness import check, check_same, index_of, index_text, main, read, run, sample, test, write

TEST_PLUGINS = os.environ['NPROF_TEST_PLUGINS']
UNIT_PLUGINS = os.path.join(os.path.dirname(TEST_PLUGINS), 'unit', 'plugins')


def folder_of(*names, at='plugins'):
    """A folder with copies of the plugin `lines`, under these names."""
    os.makedirs(at, mode=0o755)
    for name in names:
        so = os.path.join(at, name + '.so')
        shutil.copyfile(os.path.join(TEST_PLUGINS, 'lines.so'), so)
        os.chmod(so, 0o644)
    return os.path.abspath(at)


def plugins(*arguments, path=None):
    env = {'NPROF_PLUGIN_PATH': path or TEST_PLUGINS, 'XDG_DATA_HOME': os.path.abspath('nothing')}
    return run('plugins', *arguments, env=env)


def index(at, name, *components):
    write(os.path.join(at, name + '.plugin'), index_text(c.replace('/', ' ') for c in components))


def cells(line):
    return [cell for cell in line.split('  ') if cell]


@test
def what_is_asked_for_is_made_of_any_input(_folder):
    """An index says for which decoder, and from how many inputs on, an analyzer takes part unasked;
    --only asks."""
    os.makedirs('own', mode=0o755)
    shutil.copyfile(os.path.join(os.environ['NPROF_PLUGINS'], 'modules.so'), 'own/modules.so')
    os.chmod('own/modules.so', 0o644)
    env = {'NPROF_PLUGIN_PATH': os.path.abspath('own')}
    plain = run('report', '-q', '--only', 'modules', sample()).expect(0).out
    check('layers/attention' in plain, plain)
    for keys in ('rank=45\ndecoder=chrome\n', 'rank=45\ninputs=2\n'):
        write('own/modules.plugin', '[analyzer modules]\n' + keys)
        check_same(
            run('report', '-q', '--only', 'modules', sample(), env=env).expect(0).out, plain, keys
        )
        check('\nModules\n' not in run('report', '-q', sample(), env=env).expect(0).out, keys)
    check_same(
        'Tables without rows: npu_executions'
        in run('report', '-q', '--only', 'npu_executions', sample()).expect(0).out,
        True,
        'a table of other inputs',
    )


@test
def the_list_has_one_line_a_component(_folder):
    result = plugins().expect(0, err='')
    lines = result.out.splitlines()
    check_same(lines[0].split(), ['KIND', 'NAME', 'SUMMARY', 'VERSION', 'FILE'], 'titles')
    found = {tuple(line.split()[:2]) for line in lines}
    for component in [
        ('decoder', 'lines'),
        ('analyzer', 'extent'),
        ('analyzer', 'extent-track'),
        ('sink', 'rows'),
        ('sink', 'rows-track'),
        ('sink', 'csv'),
    ]:
        check(component in found, f'{component} is not in the list\n{result.out}')
    line = next(line for line in lines if line.startswith('decoder') and ' lines ' in line)
    check_same(cells(line)[2].strip(), 'rows written down as lines, for tests', 'summary')
    check(line.endswith('lines.so'), line)
    width = lines[0].index('SUMMARY')
    check_same(line.index('rows written'), width, 'column of the summaries')
    check_same([text for text in lines if text != text.rstrip()], [], 'lines that end in spaces')


@test
def a_name_shows_options_attributes_and_tables(_folder):
    result = plugins('lines').expect(
        0,
        err='',
        out=[
            'decoder lines: rows written down as lines, for tests',
            '  plugin     lines * contract 1',
            '  license    Apache-2.0',
            '  file       */lines.so',
            '  Options',
            '    part * int * default 256 * 1..1048576 * bytes a part',
            '    joins * bool * default no * an instant behind each part',
            '  Attributes that it adds to rows',
            '    n * int64 * a declared number',
            '  Table pairs: *',
        ],
    )
    check('order' not in result.out, 'a decoder has no order')
    plugins('rows-time').expect(
        0,
        out=[
            'sink rows-time: *',
            '  order      time',
            '  reads      all attributes',
            '  writes     rows-time.txt',
        ],
    )


@test
def a_kind_picks_one_of_equal_names(folder):
    at = folder_of('lines')
    both = plugins('sink/rows', path=at).expect(0, err='')
    check_same(both.out.count('sink rows: '), 1, 'sinks named rows')
    plugins('decoder/rows', path=at).expect(1, out='', err='*no plugin named "decoder/rows"*')
    plugins('decoder/lines', path=at).expect(0, out='decoder lines: *')


@test
def an_unknown_name_is_1_and_gets_the_near_one(_folder):
    plugins('rows-trak').expect(
        1,
        out='',
        err='nprof: error: no plugin named "rows-trak": '
        'did you mean rows-track? (nprof plugins lists them; *',
    )
    plugins('sink/rows-tim').expect(1, out='', err='*did you mean sink/rows-time?*')
    plugins('qqqqqqq').expect(1, out='', err='nprof: error: no plugin named "qqqqqqq" (nprof *')
    plugins('bad\x1b[31mname').expect(1, out='', err='*bad\\x1b*')
    plugins('').expect(1, out='', err='*no plugin named ""*')


@test
def json_tells_it_all(_folder):
    result = plugins('--json').expect(0, err='')
    told = json.loads(result.out)
    by_name = {(p['kind'], p['name']): p for p in told['plugins']}
    lines = by_name['decoder', 'lines']
    check_same([o['name'] for o in lines['options']], ['part', 'joins', 'late'], 'options')
    check_same(
        lines['options'][0],
        {
            'name': 'part',
            'type': 'int',
            'default': '256',
            'range': '1..1048576',
            'help': 'bytes a part',
        },
        'option part',
    )
    check_same(lines['options'][1]['range'], None, 'range of an option without one')
    check_same(
        lines['attributes'][0],
        {'key': 'n', 'type': 'int64', 'unit': '', 'help': 'a declared number'},
        'attribute n',
    )
    check_same([c['name'] for c in lines['tables'][0]['columns']], ['input', 'a', 'b'], 'columns')
    check_same([c['role'] for c in lines['tables'][0]['columns']][0], 'key', 'role of input')
    check_same((lines['order'], lines['contract'], lines['wants']), (None, 1, []), 'of a decoder')
    check_same(by_name['sink', 'rows-track']['order'], 'track', 'order')
    check_same(by_name['sink', 'rows']['wants'], ['*'], 'wants')
    for plugin in told['plugins']:
        check(os.path.isabs(plugin['file']), f'{plugin["name"]}: {plugin["file"]}')


@test
def json_of_one(_folder):
    told = json.loads(plugins('--json', 'sink/rows').expect(0).out)
    check_same([(p['kind'], p['name']) for p in told['plugins']], [('sink', 'rows')], 'plugins')
    plugins('--json', 'nobody').expect(1, out='', err='*no plugin named "nobody"*')


@test
def names_for_completions(folder):
    at = folder_of('lines')
    index(at, 'lines', 'decoder/lines', 'sink/rows')
    write(os.path.join(at, 'lines.so'), 'not to be opened')
    result = plugins('--names', path=at).expect(0, err='', out=['decoder/lines', 'sink/rows'])
    check('not' not in result.out, result.out)
    sinks = plugins('--names', 'sink', path=at).expect(0, err='').out.split()
    check('rows' in sinks and 'csv' in sinks and 'lines' not in sinks, str(sinks))
    decoders = plugins('--names', 'decoder', path=at).expect(0).out.split()
    check('lines' in decoders and 'rows' not in decoders, str(decoders))
    plugins('--names', 'sinks').expect(1, out='', err='*--names takes decoder, analyzer or sink*')


@test
def options_for_completions(_folder):
    result = plugins('--options', 'decoder/lines').expect(0, err='')
    check_same(
        [line.split('\t') for line in result.out.splitlines()],
        [
            ['part', 'int', '1..1048576', 'bytes a part'],
            ['joins', 'bool', '', 'an instant behind each part'],
            ['late', 'bool', '', 'a property behind each part'],
        ],
        'options',
    )
    check_same(plugins('--options', 'analyzer/extent').expect(0, err='').out, '', 'no options')
    plugins('--options', 'decoder/lined').expect(1, out='', err='*did you mean lines?*')
    for wrong in (['lines'], ['thing/lines'], []):
        plugins('--options', *wrong).expect(1, out='', err='*--options takes KIND/NAME*')


@test
def wrong_use_is_1(_folder):
    plugins('one', 'two').expect(1, out='', err='*plugins one: expected install, list*')
    plugins('--json', '--names').expect(1, out='', err='*one of --json, --names and --options*')
    plugins('--jsn').expect(1, out='', err='*--jsn*nprof plugins --help tells more*')
    plugins('--help').expect(0, err='', out='*nprof plugins*NAME*')


@test
def the_first_of_a_name_hides_others(_folder):
    first, second = folder_of('lines', at='first'), folder_of('lines', at='second')
    result = plugins(path=first + ':' + second).expect(
        0, err='', out=['Not used:', f'  sink rows ({second}/lines.so): hidden by {first}/lines.so']
    )
    check_same(result.out.count('hidden by'), 15, 'hidden components')
    result = plugins('decoder/lines', path=first + ':' + second).expect(
        0, out=f'  file       {first}/lines.so'
    )
    check(f'hidden by {first}/lines.so' in result.out, result.out)
    told = json.loads(plugins('--json', 'decoder/lines', path=first + ':' + second).expect(0).out)
    check_same([u['file'] for u in told['unused']], [f'{second}/lines.so'], 'unused')


@test
def what_is_refused_is_listed_with_the_mend(_folder):
    at = folder_of('lines')
    os.chmod(os.path.join(at, 'lines.so'), 0o666)
    plugins(path=at).expect(0, err='', out=f'  plugin lines ({at}/lines.so): refused: *chmod *')
    plugins('lines', path=at).expect(
        5, out='', err='nprof: error: plugin lines: *refused: *chmod *'
    )
    os.chmod(os.path.join(at, 'lines.so'), 0o644)
    os.chmod(at, 0o777)
    plugins(path=at).expect(0, err='', out='  plugin lines (*): refused: *chmod *')
    told = json.loads(plugins('--json', path=at).expect(0).out)
    check('chmod' in told['unused'][0]['problem'], str(told['unused']))
    os.chmod(at, 0o755)
    plugins('decoder/lines', path=at).expect(0)


@test
def what_is_broken_is_listed(_folder):
    at = folder_of('lines')
    write(os.path.join(at, 'text.so'), 'no shared object')
    index(at, 'gone', 'sink/gone')
    index(at, 'lines', 'decoder/lines', 'sink/other')
    write(os.path.join(at, 'odd.plugin'), '[')
    plugins(path=at).expect(
        0,
        err='',
        out=[
            '  plugin text (*text.so): it is no shared object (ELF): build the plugin again',
            '  sink gone (*gone.so): *gone.plugin lists it, but there is no such file*',
            '  sink other (*lines.so): *lines.plugin lists it, but the file does not hold it*',
            '  analyzer extent (*lines.so): *lines.plugin does not list it*',
            '  plugin odd (*odd.so): *odd.plugin: *',
        ],
    )
    plugins('gone', path=at).expect(5, out='', err='*sink gone: *there is no such file*')
    plugins('decoder/lines', path=at).expect(0, out='decoder lines: *')


def elf_like(name, at, change):
    """A copy of a plugin whose bytes were changed."""
    data = bytearray(read(os.path.join(TEST_PLUGINS, 'lines.so')))
    return write(os.path.join(at, name + '.so'), bytes(change(data)))


def of_another_machine(data):
    data[18:20] = (0x03E7).to_bytes(2, 'little')  # e_machine of ELF
    return data


@test
def each_file_that_cannot_be_opened_is_listed_with_the_mend(_folder):
    at = folder_of()
    elf_like('cut', at, lambda data: data[:3000])
    elf_like('head', at, lambda data: data[:10])
    elf_like('foreign', at, of_another_machine)
    write(os.path.join(at, 'empty.so'), '')
    for name in ('undefined', 'major2', 'nosymbol', 'null'):
        write(os.path.join(at, name + '-1.so'), read(os.path.join(UNIT_PLUGINS, name + '.so')))
    why = {
        'cut': 'it ends at byte 3000, before what its headers name: build or copy it again',
        'head': 'it is no shared object (ELF): build the plugin again',
        'empty': 'it is no shared object (ELF): build the plugin again',
        'foreign': 'it was built for another machine (*machine 999; nprof: *): build it for this one',
        'undefined-1': '*undefined symbol: nobody_defines_this: link the plugin with what defines it; *',
        'major2-1': 'it speaks version 2 of the plugin contract *use a newer nprof, or *',
        'nosymbol-1': 'not an nprof plugin (no symbol nprof_plugin_v1): export it with NPROF_EXPORT',
        'null-1': 'nprof_plugin_v1() returned NULL',
    }
    plugins(path=at).expect(
        0, err='', out=[f'  plugin {name} ({at}/{name}.so): {text}' for name, text in why.items()]
    )
    for name in why:
        plugins(name, path=at).expect(
            5, out='', err=f'nprof: error: plugin {name}: *{why[name][-20:]}'
        )


@test
def a_plugin_from_the_future_works_as_far_as_it_is_known(_folder):
    at = folder_of()
    write(os.path.join(at, 'future.so'), read(os.path.join(UNIT_PLUGINS, 'future.so')))
    plugins(path=at).expect(
        0,
        err='',
        out=[
            'sink * future * a newer struct *',
            '  plugin viewer *: its kind 7 is not known to this nprof: ' 'skipped',
        ],
    )
    result = plugins('future', path=at).expect(0, out='    known * bool *')
    check('strange' not in result.out and 'dated' not in result.out, result.out)


@test
def links_are_followed_and_loops_are_said(_folder):
    at = folder_of()
    os.symlink('loop.so', os.path.join(at, 'loop.so'))
    os.symlink(os.path.join(at, 'absent.so'), os.path.join(at, 'dangling.so'))
    os.symlink('ring', 'ring')
    plugins(path=at + ':' + os.path.abspath('ring')).expect(
        0,
        err='',
        out=[
            '  plugin loop (*loop.so): *Too many levels of symbolic links',
            '  plugin dangling (*dangling.so): *No such file or directory',
            '  folder (*ring): *NPROF_PLUGIN_PATH): Too many levels of symbolic links',
        ],
    )
    target = folder_of('lines', at='elsewhere')
    os.symlink(target, 'link')
    plugins('decoder/lines', path=os.path.abspath('link')).expect(
        0, out=f'  file       {target}/lines.so'
    )
    os.chmod(target, 0o777)
    plugins('lines', path=os.path.abspath('link')).expect(5, out='', err='*refused: *chmod *')


@test
def a_plugin_of_the_name_of_a_built_in_hides_it(_folder):
    at = folder_of('lines')
    index(at, 'lines', 'sink/csv')
    plugins(path=at).expect(
        0,
        err='',
        out=[
            f'  sink csv ({at}/lines.so): {at}/lines.plugin lists it, but the file does not hold it: *',
            f'  sink csv (*/plugins/csv.so): hidden by {at}/lines.so',
        ],
    )
    plugins('sink/csv', path=at).expect(5, out='', err='*lines.plugin lists it*')


@test
def a_folder_that_is_not_there_is_listed(_folder):
    plugins(path=os.path.abspath('absent')).expect(
        0, out='  folder (*absent): *NPROF_PLUGIN_PATH): No such file or directory'
    )
    plugins(path='relative').expect(0, out='  folder (relative): *no full path*')


TRACE = json.dumps([{'ph': 'X', 'name': 'a', 'ts': 1, 'dur': 2, 'pid': 1, 'tid': 1}])


def report_with(part, *arguments):
    """The names of the tables of a report beside a plugin whose analyzer extent says this part."""
    at = folder_of('lines', at='part' + str(len(os.listdir('.'))))
    write(os.path.join(at, 'lines.plugin'), index_text([('analyzer extent', part)]))
    result = run(
        'report',
        '--format',
        'json',
        '--top',
        '10',
        *arguments,
        write('t.json', TRACE),
        env={'NPROF_PLUGIN_PATH': at},
    ).expect(0)
    page = json.loads(result.out)
    return [table['name'] for table in page['tables']], page.get('not_in_this_run', [])


@test
def an_analyzer_says_its_part_in_reports(_folder):
    check('extents' not in report_with({})[0], 'it was not asked for')
    check('extents' not in report_with({'page.extents': 1})[0], 'it has no rank')
    check_same(
        report_with({'rank': 5, 'page.extents': 1})[0][:3],
        ['inputs', 'extents', 'summary'],
        'the first place',
    )
    behind = report_with({'rank': 5})[0]
    check(behind.index('extents') > behind.index('latency'), f'no place is behind: {behind}')
    check('extents' not in report_with({'rank': 5, 'details': 'extents'})[0], 'a detail')
    check(
        'extents' in report_with({'rank': 5, 'inputs': 1, 'decoder': 'chrome'})[0],
        'an input of chrome',
    )
    for other in ({'rank': 5, 'inputs': 2}, {'rank': 5, 'decoder': 'xplane'}):
        check('extents' not in report_with(other)[0], f'{other}: it takes part')
    names, missing = report_with({'rank': 5, 'inputs': 2, 'page.extents': 1})
    check_same(
        (missing.count('extents'), len(missing)), (1, len(set(missing))), 'each is missing once'
    )


@test
def an_analyzer_names_its_tables_for_people(_folder):
    """Its short names are those of --only, its words lead to its tables; what nprof's own analyzers
    call theirs stays."""
    at = folder_of('lines')
    part = {'only.size': 'extents;layers?', 'only.idle': 'extents', 'called.extents': 'Bounds;gpu'}
    write(os.path.join(at, 'lines.plugin'), index_text([('analyzer extent', part)]))

    def only(name):
        words = ('report', '-q', '--format', 'json', '--only', name, write('t.json', TRACE))
        return run(*words, env={'NPROF_PLUGIN_PATH': at})

    shown = [table['name'] for table in json.loads(only('size').expect(0).out)['tables']]
    check_same(shown, ['extents', 'layers'], 'a short name of its own')
    for name, near in (('bounds', 'extents'), ('GPU', 'devices'), ('siz', 'size')):
        only(name).expect(1, err=f'*--only {name}: *did you mean {near}[?]*')
    check('extents' not in only('idle').out, 'idle means what it meant')


@test
def a_part_of_another_shape_is_refused(_folder):
    at = folder_of('lines')
    for key, value, why in (
        ('rank', 0, 'a number from 1 to 1000000'),
        ('rank', 'x', 'a number'),
        ('inputs', '', 'a number'),
        ('decoder', '', 'texts with ";" between them'),
        ('page.a', -1, 'a number'),
        ('page.a', '2 x', 'a number'),
        ('details', 'a\\q', 'texts with ";" between them'),
        ('off.a', 'b', '"b" is not OPTION=VALUE'),
        ('off.a', '', 'a text was expected'),
        ('only.a', '', 'texts with ";" between them'),
        ('called.a', '', 'texts with ";" between them'),
        ('picture.a', '', 'texts with ";" between them'),
    ):
        write(os.path.join(at, 'lines.plugin'), index_text([('analyzer extent', {key: value})]))
        plugins(path=at).expect(0, out=f'*lines.plugin: [[]analyzer extent]: {key}: {why}*')


@test
def a_plugin_says_what_a_page_shows_of_its_tables(_folder):
    """Its views stand on the page by their places; one of a table of nprof's own changes nothing,
    and one of another shape is refused."""
    at = folder_of('lines')
    view = {'place': 5, 'title': 'Ends of rows', 'top': 1, 'columns': 'rows;input'}

    def say(*views):
        groups = [('analyzer extent', {'rank': 5, 'page.extents': 1}), *views]
        write(os.path.join(at, 'lines.plugin'), index_text(groups))

    def page(*views):
        say(*views)
        return run('report', '-q', write('t.json', TRACE), env={'NPROF_PLUGIN_PATH': at}).out

    shown = page(('view extents', view))
    check('Ends of rows' in shown and 'Ends of rows' not in page(), shown)
    check(page(('view devices', {**view, 'title': 'Other'})) == page(), 'a view of devices')
    check(
        'Ends of rows' not in page(('view extents', {**view, 'top': 'all'})), 'one that is refused'
    )
    for keys, why in (
        ({'columns': 'rows'}, 'place: a number from 1 was expected, beside columns'),
        ({**view, 'top': 'all'}, 'top: a number from 0 to 1000000 was expected'),
        ({'place': 5, 'columns': 'rows'}, 'title: a text was expected, beside columns'),
        ({**view, 'title': ''}, 'title: a text was expected, beside columns'),
        *(
            ({**view, key: text}, f'{key}: names of columns with ";" between them were expected')
            for key in ('columns', 'by', 'needs')
            for text in ('', ';', 'rows;;', ';rows', '?', 'rows;?;input', 'rows/', '/input')
        ),
    ):
        say(('view extents', keys))
        told = f'*lines.plugin: [[]view extents]: {why}*'
        plugins(path=at).expect(0, out=told)
        run('check', '--rule', 'declaration', os.path.join(at, 'lines.so')).expect(5, out=told)
    ended = {**view, 'columns': 'rows;input;', 'by': 'rows;', 'needs': 'rows;'}
    check_same(
        page(('view extents', ended)),
        page(('view extents', {**view, 'by': 'rows', 'needs': 'rows'})),
        'a list may end in ";"',
    )
    say(('view extents', view), ('view extents', {**view, 'title': 'Twice'}))
    plugins(path=at).expect(0, out='*lines.plugin: [[]view extents] stands twice: one group*')


@test
def views_of_a_plugin_that_is_not_in_use_do_not_count(_folder):
    """Its analyzer is hidden by that of another file, so that only the view of that one is shown."""
    at = folder_of('lines', 'other')
    view = {'place': 5, 'title': 'Ends of rows', 'columns': 'rows;input'}
    part = ('analyzer extent', {'rank': 5, 'page.extents': 1})
    write(os.path.join(at, 'lines.plugin'), index_text([part, ('view extents', view)]))
    other = ('view extents', {**view, 'title': 'Stranger'})
    write(os.path.join(at, 'other.plugin'), index_text([('decoder other', {}), other]))
    shown = run('report', '-q', write('t.json', TRACE), env={'NPROF_PLUGIN_PATH': at}).out
    check('Ends of rows' in shown and 'Stranger' not in shown, shown)


def components_of_lines():
    return [
        f'{c["kind"]} {c["name"]}'
        for c in json.loads(plugins('--json').out)['plugins']
        if c['plugin'] == 'lines'
    ]


def check_declaration(at, told):
    """nprof check says that of lines.plugin in that folder; None: all is as it must be."""
    result = run('check', '--rule', 'declaration', os.path.join(at, 'lines.so'))
    if told:
        result.expect(5, out=f'FAIL  plugin: load: *lines.plugin: {told}*')
    else:
        result.expect(0)


@test
def check_compares_the_views_with_the_plugin(_folder):
    at = folder_of('lines')
    listed = components_of_lines()
    for view, told in (
        (('view extents', {}), None),
        (('view extents of late rows', {}), None),
        (('view other', {}), '[[]view other]: it declares no table other'),
        (('view extents', {'head': 'x'}), '[[]view extents] has the key "head", which nprof'),
    ):
        write(os.path.join(at, 'lines.plugin'), index_text([*listed, view]))
        check_declaration(at, told)


@test
def check_compares_the_part_with_the_plugin(_folder):
    at = folder_of('lines')
    listed = components_of_lines()
    for part, told in (
        ({'page.extents': 1}, None),
        ({'details': 'other'}, 'analyzer extent declares no table other'),
        ({'called.other': 'x'}, 'analyzer extent declares no table other'),
        ({'off.extents': 'odd=no'}, 'analyzer extent has no option odd'),
        ({'widget.waits': 'extents;devices?;inputs'}, None),
        ({'widget.waits': 'extents;nix?'}, 'waits: no plugin declares a table nix'),
        ({'picture.roofline': 'nix'}, 'roofline: no plugin declares a table nix'),
        ({'value.ends': 'extents;rows'}, None),
        ({'value.ends': 'nix;rows'}, 'analyzer extent declares no table nix'),
        ({'value.ends': 'extents;;mean'}, 'value.ends: a column beside each'),
        ({'value.ends': 'extents;rows/'}, 'value.ends: a column beside each'),
        ({'value.ends': 'extents;rows;odd'}, 'value.ends: "odd" is no word of a value'),
        ({'value.a.b.c': 'extents;rows'}, 'value.a.b.c: a name of letters'),
    ):
        write(
            os.path.join(at, 'lines.plugin'),
            index_text((group, part if group == 'analyzer extent' else {}) for group in listed),
        )
        check_declaration(at, told and 'report: ' + told)


@test
def a_value_of_another_shape_is_said_where_it_is_asked_for(_folder):
    at = folder_of('lines')
    env = {'NPROF_PLUGIN_PATH': at}
    for name, value, why in (
        ('ends', 'extents;;mean', 'a column beside each of*'),
        ('ends', 'extents;rows/', 'a column beside each of*'),
        ('ends', 'extents;rows;odd', '"odd" is no word of a value'),
        ('a.b.c', 'extents;rows', 'a name of letters*'),
        ('own.ends', 'extents;rows;odd', '"odd" is no word of a value'),
    ):
        part = {f'value.{name}': value}
        write(os.path.join(at, 'lines.plugin'), index_text([('analyzer extent', part)]))
        told = f'*lines.plugin: [[]analyzer extent]: value.{name}: {why}'
        gate = ('gate', write('t.json', TRACE))
        run(*gate, f'any({name}) > 0', env=env).expect(
            1, err=f'nprof: error: "any({name}) > 0": {told}*'
        )
        other = run(*gate, "calls('*') > 0", env=env)
        check('value.' not in other.err and other.status == 0, other.describe())


@test
def no_two_have_one_place_in_reports(_folder):
    folder = os.path.join(os.path.dirname(os.path.dirname(TEST_PLUGINS)), 'plugins')
    listed = [
        keys
        for name in sorted(os.listdir(folder))
        if name.endswith('.plugin')
        for keys in index_of(os.path.join(folder, name)).values()
    ]
    places = [value for keys in listed for key, value in keys.items() if key.startswith('page.')]
    ranks = [keys['rank'] for keys in listed if 'rank' in keys]
    check_same((len(places), len(ranks)), (len(set(places)), len(set(ranks))), 'one has each place')
    check(len(ranks) == 21, f'{len(ranks)} analyzers take part')


if __name__ == '__main__':
    main()
