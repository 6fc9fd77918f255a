# SPDX-License-Identifier: Apache-2.0
"""wrong-uses.py - what people type wrongly, a line each: the exit status, what the answer must name
of the mistake, and the nearest that is right, which it must name as well."""

import os
import shutil

from harness import add_test, check, check_same, main, run, sample, write

# (what is typed, exit status, what was wrong, the nearest right); IN is a profile.
USES = [
    # a command
    ('reprot IN', 1, 'no command "reprot"', 'report'),
    ('compare IN IN', 1, 'no command "compare"', 'diff'),
    ('help reprot', 1, 'no command "reprot"', 'report'),
    ('--versoin', 1, '--versoin', '--version'),
    # an option
    ('report --onyl ops IN', 1, '--onyl', '--only'),
    ('report --device GPU:0 IN', 1, '--device', '--track'),
    ('report --limit 3 IN', 1, '--limit', '--top'),
    ('info --json IN', 1, '--json', '--format json'),
    ('diff --threshold 5% IN IN', 1, '--threshold', '--fail-over'),
    ('view --prt 3 IN', 1, '--prt', '--port'),
    ('capture --kinetoo 1', 1, '--kinetoo', '--kineto'),
    ('new decoder x --lang c', 1, '--lang', '--language'),
    ('report --only', 1, 'Missing argument for --only', 'report --help'),
    # a value
    ('report --format yaml IN', 1, '--format yaml', 'markdown'),
    ('report -o r.docx IN', 1, '.docx', '.html'),
    ('report --top ten IN', 1, '--top ten', '0 (all) or more'),
    ('report --step foo IN', 1, '"foo"', '3..7'),
    ('report --step 99 IN', 1, 'none is selected', '0..3'),
    ('report --where name=nosuch IN', 1, 'no row is selected', 'which are of'),
    ('info --from 900s IN', 1, 'no row is selected', 'nprof info shows times'),
    ('flame --name nosuch IN', 1, 'no row is selected', 'nprof info shows times'),
    ('diff --where duration>900s IN IN', 1, 'no row is selected', 'which are of'),
    ('gate --from 900s IN step<1s', 1, 'no row is selected', 'which are of'),
    ('sql --where name=nosuch IN select\t1', 1, 'no row is selected', 'which are of'),
    ('report --track GPU IN', 1, '--track GPU', '/device:TPU:0'),
    ('report --from 5 IN', 1, '"5"', '5ms'),
    ('report --from 5parsec IN', 1, '"5parsec"', '1.5ms'),
    ('report --from 5s --to 1s IN', 1, '--from is after --to', 'exchange them'),
    ('report --clip 5ms..1ms IN', 1, '--clip', '--from and --to'),
    ('report --style furosa-0.9 IN', 1, '--style furosa-0.9', 'furiosa-0.9?'),
    ('report --only kernels --by kernal IN', 1, 'by=kernal', ' kernel,'),
    ('run -j many -s null IN', 1, '“many” for -j', 'a whole number'),
    ('view --port abc IN', 1, '“abc” for --port', 'a whole number'),
    ('view --port 99999 IN', 1, '--port 99999', '1 to 65535'),
    ('diff --by nme IN IN', 1, '--by nme', 'kernels, ops, modules or steps'),
    ('diff --fail-over 5 IN IN', 1, '--fail-over 5', '5%'),
    ('gate --undecided maybe IN step<1s', 1, '--undecided maybe', 'ok or fail'),
    ('flame --format svg IN', 1, '--format svg', 'speedscope'),
    ('sql --format tsv IN select\t1', 1, '--format tsv', 'csv'),
    # the name of a table, a column, a component
    ('report --only operaters IN', 1, '--only operaters', 'operators'),
    ('report --only ops,idel IN', 1, '--only idel', 'idle'),
    ('report --only nccl IN', 1, '--only nccl', 'collectives'),
    ('run -s cvs -o out IN', 1, '"cvs"', 'csv'),
    ('run -s null,csv IN', 1, '"null,csv"', 'give the option again'),
    ('run -s csv:delimeter=x -o out IN', 1, '"delimeter"', 'delimiter'),
    ('run -s csv:separator=x -o out IN', 1, '"separator"', 'delimiter'),
    ('run -a step IN -o out', 1, '"step"', 'steps'),
    ('run -a device:gap=5parsec IN -o out', 1, '"5parsec"', 'a whole number'),
    ('report -d chrom IN', 1, '"chrom"', 'chrome'),
    ('report -d chrome IN', 2, 'IN: ', 'decoder xplane: leave out -d chrome'),
    ('plugins lst', 1, '"lst"', 'did you mean list?'),
    ('plugins enable nosuch', 1, 'nosuch: no plugin', 'nprof plugins lists'),
    ('answers exposd IN', 1, 'exposd', 'exposed'),
    ('ask verdit IN', 1, 'verdit', 'did you mean verdict'),
    ('ask table IN tabel=kernels', 1, '"tabel"', 'name'),
    ('ask diff IN', 1, 'tool diff', 'BASE and NEW'),
    ('profiles remove n_00000', 1, 'remove', 'did you mean rm?'),
    # a condition, a demand, a query
    ('report --where duraton>1us IN', 1, 'duraton', 'duration'),
    ('report --where dur>1 IN', 1, '"1"', '1ms'),
    ('report --where duration>5 IN', 1, '"5"', '5ms'),
    ('report --where name~/(/ IN', 1, 'at character 6', 'a regular expression'),
    ('report --where (name=x IN', 1, 'at character 8', 'a closing )'),
    ('gate step<1s IN', 1, '"step<1s" is where the INPUT should be', 'nprof gate IN "step<1s"'),
    ('gate IN', 1, 'at least one demand', "p99('*') < 2ms"),
    ('gate IN step<100', 1, '100 without a unit', '100ms'),
    ('gate IN stpe<1s', 1, '"stpe<1s"', 'did you mean step?'),
    ('gate IN mfu>40', 1, 'the limit is 40', '40%'),
    ("gate IN ops['*'].shar<3%", 1, '"shar"', 'share'),
    ("gate IN p99('nosuch*')<2ms", 6, "p99('nosuch*')", 'nothing in table latency matches'),
    ('sql IN select\t*\tfrom\tevent', 1, 'no such table: event', 'events'),
    ('sql IN select\tnam\tfrom\tevents', 1, 'no such column: nam', 'did you mean name?'),
    ('sql IN delete\tfrom\tevents', 1, 'events may not be modified', 'only reads'),
    ('sql -f nosuch.sql IN', 1, '-f nosuch.sql', 'name a file with a query'),
    ('sql IN', 1, 'expected a query', '-e QUERY'),
    # a file, a folder, an order
    ('report', 1, 'no input', 'name a file, a folder, or -'),
    ('report nosuch.pb', 2, 'nosuch.pb: cannot be read', 'check the name'),
    ('report INN.pb', 2, 'INN.pb: cannot be read', 'did you mean IN?'),
    ('report EMPTY', 2, 'EMPTY: the file is empty', 'expected a profile'),
    ('report FOLDER', 2, 'FOLDER: no profile found', 'a folder with files'),
    ('report SOURCES', 2, 'SOURCES: no profile found (1 file', 'name a file'),
    ('report PICTURE', 2, 'PICTURE: is a picture (PNG)', 'no profile'),
    ('report CUT', 2, 'CUT: byte ', '--keep-going'),
    ('report -o nosuch/r.html IN', 1, 'there is no folder nosuch', 'make it first'),
    ('run -s parquet -o EMPTY IN', 1, '-o EMPTY', 'name a folder'),
    ('diff IN', 1, 'there is 1', 'BASE and NEW'),
    ('diff IN nosuch.pb', 2, 'nosuch.pb: cannot be read', 'check the name'),
    ('map IN', 1, '-o is missing', '-o job'),
    ('reduce IN', 2, 'IN: this is no state', 'nprof map'),
    ('plugins install IN', 1, 'IN: expected a plugin', 'NAME.so'),
    ('new decodr x', 1, '"decodr"', 'decoder'),
    ('new decoder Foo!', 1, '"Foo!"', 'my-format'),
    ('new analyzer gap FOLDER', 1, 'FOLDER exists already', 'another folder'),
    # more of each
    ('report --stpe 1 IN', 1, '--stpe', 'did you mean --step?'),
    ('report --only operators,kernls IN', 1, '--only kernls', 'did you mean kernels?'),
    ('report --sort self IN', 1, '--sort', 'did you mean --by?'),
    ('report --by slef IN', 1, 'by=slef', 'self_ns'),
    ('report --format md IN', 1, '--format md', 'did you mean markdown?'),
    ('report --format=pdf IN', 1, '--format pdf', 'expected plain, markdown, html, json'),
    ('report -o out.jsn IN', 1, '-o out.jsn', 'did you mean .json?'),
    ('report --top -3 IN', 1, '--top -3', '0 (all) or more'),
    ('report --top 1.5 IN', 1, '--top 1.5', '0 (all) or more'),
    ('report --step 3..1 IN', 1, '"3..1"', 'write the smaller one first'),
    ('report --step 1-3 IN', 1, '"1-3"', '3..7'),
    ('report --to 5m IN', 1, '"5m"', 'min, such as 1.5ms'),
    ('report --clip IN', 1, '--clip', '--from and --to'),
    ('report --style nuron IN', 1, '--style nuron', 'did you mean neuron?'),
    ('report --names long IN', 1, '--names long', 'short or full'),
    ('report --only verdicts IN', 1, '--only verdicts', 'did you mean verdict?'),
    ('report --only gpu IN', 1, '--only gpu', 'did you mean devices?'),
    ('report --only memmory IN', 1, '--only memmory', 'did you mean memory?'),
    ('report --only summery IN', 1, '--only summery', 'did you mean summary?'),
    ('report --flul IN', 1, '--flul', 'did you mean --full?'),
    ('report -f json IN', 1, '-f', 'did you mean --'),
    ('info IN nosuch.pb', 2, 'nosuch.pb: cannot be read', 'check the name'),
    ('info --tracks IN', 1, '--tracks', 'did you mean --track?'),
    ('flame --by kernel IN', 1, '"kernel"', 'stack, module, layer, source'),
    ('flame -o f.png IN', 1, '-o f.png', '.folded'),
    ('flame --format speedscop IN', 1, '--format speedscop', 'speedscope'),
    ('diff IN IN --fail-over 5ms', 1, '--fail-over 5ms', '5%'),
    ('diff IN IN --by kernel', 1, '--by kernel', 'kernels, ops'),
    ('diff IN IN IN', 1, 'there are 3', '--against'),
    ('diff --format yaml IN IN', 1, '--format yaml', 'text, markdown or json'),
    ('diff --top x IN IN', 1, '--top x', '0 (all) or more'),
    ('gate IN step\t<', 1, 'at character 7', 'expected a number'),
    ('gate IN step\t=\t1s', 1, 'at character 6', '<, <=, >, >=, == or !='),
    ('gate IN kernels.total\t<\t1s', 1, '"total"', 'did you mean total_ns?'),
    ('gate IN idle\t<\t5', 1, 'the limit is 5', '5%'),
    ('gate step<1s IN IN', 1, 'is where the INPUT should be', 'nprof gate IN'),
    ('sql IN select\tcount(*)\tfrom\tkernel', 1, 'no such table: kernel', 'did you mean kernels?'),
    ('sql IN select\tshare\tfrom\tkernels', 1, 'no such table: kernels', '-a operators'),
    ('sql --format yaml IN select\t1', 1, '--format yaml', 'text, csv, json or markdown'),
    ('sql IN drop\ttable\tevents', 1, 'not authorized', 'only reads'),
    ('run -s null -a nosuch IN', 1, '"nosuch"', 'nprof plugins lists them'),
    ('run -s parqet -o out IN', 1, '"parqet"', 'did you mean parquet?'),
    ('run -s csv:delimiter=ab -o out IN', 1, 'delimiter=ab', 'comma, semicolon, tab'),
    ('run -a steps:foo=1 -s null IN', 1, '"foo"', 'it has cut'),
    ('run -s null -j -1 IN', 1, '-j -1', '1 to 1024'),
    ('run -d xplan -s null IN', 1, '"xplan"', 'did you mean xplane?'),
    ('run -s otlp -o out IN', 1, '"otlp"', 'it is the name of a decoder'),
    ('view --output-format text IN', 1, '--output-format text', 'summary-text, summary-json or json'),
    ('view --logdir nosuch', 2, 'nosuch: cannot be read', 'check the name'),
    ('reduce', 1, 'no state', 'nprof map'),
    ('capture --kineto abc', 1, '“abc” for --kineto', 'a whole number'),
    ('capture --xla localhost', 1, '--xla localhost', 'localhost:9012'),
    ('new', 1, 'new takes a kind', 'nprof new decoder my-format'),
    ('answers --chek', 1, '--chek', 'did you mean --check?'),
    ('answers nosuch IN', 1, 'no answer nosuch', 'nprof answers lists them'),
    ('ask nosuch IN', 1, 'no tool nosuch', 'open, verdict, table'),
    ('ask table IN name=kernls', 1, 'no such table', 'kernels'),
    ('profiles lst', 1, 'lst', 'did you mean list?'),
    ('profiles rm n_zz', 1, 'n_zz', 'nprof profiles lists them'),
    ('versoin', 1, '"versoin"', 'did you mean --version?'),
    # words in the wrong place, and what other tools call the same
    ('report --where nam=x IN', 1, 'nam: did you mean name?', 'no row is selected'),
    ('report --where categry~comp IN', 1, 'categry: did you mean category?', 'no row is selected'),
    ('report --name IN', 1, 'IN is the value of the option before it', 'name a file'),
    ('report -o IN', 1, 'IN is the value of the option before it', 'name a file'),
    ('report --rank 3 IN', 1, '--rank', 'did you mean --track?'),
    ('report --ranks 0,1 IN', 1, '--ranks', 'did you mean --track?'),
    ('report --gpu 0 IN', 1, '--gpu', 'did you mean --track?'),
    ('report --sort-by self IN', 1, '--sort-by', 'did you mean --by?'),
    ('report --track-name x IN', 1, '--track-name', 'did you mean --'),
    ('report --start 5ms IN', 1, '--start', 'did you mean --from?'),
    ('report --no-color IN', 1, '--no-color', 'did you mean --color never?'),
    ('report --from 50% IN', 1, '"50%"', 'such as 1.5ms'),
    ('report --step 1,3 IN', 1, '"1,3"', '3..7'),
    ('report --top all IN', 1, '--top all', '0 (all) or more'),
    ('report -o out.pdf IN', 1, '-o out.pdf', '.html'),
    ('report http://host/a.json', 2, 'http://host/a.json', 'download it'),
    ('report *.trace', 2, '*.trace', 'check the pattern'),
    ('verdict IN', 1, 'no command "verdict"', 'report --only verdict'),
    ('plugins enable', 1, 'plugins enable', 'nprof plugins list shows'),
    ('plugins show csv', 1, 'plugins show', 'nprof plugins NAME shows one'),
    ('plugins instal x.so', 1, 'plugins instal', 'did you mean install?'),
    ('diff IN IN --metric step', 1, '--metric', 'did you mean --by?'),
    ('sql selct IN', 1, '"selct" is neither a file nor a query', 'select * from events'),
    ('sql IN tables', 1, '"tables" is neither a file nor a query', 'select * from events'),
    ('sql select\t1 IN', 1, '"select 1" is where the INPUT', 'the query is the last word'),
    ('sql IN show\ttables', 1, 'near "show"', 'SELECT name FROM sqlite_schema'),
    ('sql IN select\t*\tform\tevents', 1, 'near "form"', 'did you mean FROM?'),
    ('sql IN selct\t*\tfrom\tevents', 1, 'near "selct"', 'did you mean SELECT?'),
    ('gate IN step<1s\tand\tidle<5%', 1, 'step<1s and idle<5%', 'a word of its own'),
    ('gate IN step<1s\t&&\tidle<5%', 1, 'at character 7', 'a word of its own'),
    ('gate IN step<1s,idle<5%', 1, 'at character 7', 'a word of its own'),
    ('gate IN p99<1s', 1, '"p99<1s"', "p99('GLOB')"),
    ('gate IN kernels<1s', 1, '"kernels<1s"', "kernels['GLOB'].total_ns"),
    ('gate IN step.p99<1s', 1, 'at character 6', 'mean, no_idle'),
    ('gate IN gpu.util>80%', 1, 'table gpu', 'did you mean devices?'),
    ('flame -o x.svg IN', 1, '-o x.svg', '.folded'),
    ('check IN', 5, 'no shared object', 'build the plugin again'),
    ('new plugin x', 1, '"plugin"', 'decoder, analyzer or sink'),
    # what belongs elsewhere
    ('view --store IN IN', 1, '--store ', 'expected the folder'),
    ('run -q -s null -a kernels IN', 1, 'it is the name of a table', 'did you mean operators,'),
    ('run -q -s null -a step_times IN', 1, 'it is the name of a table', 'did you mean steps,'),
    ('capture train.py', 1, 'train.py: nprof capture starts no program', '--kineto PID'),
    ('capture python train.py', 1, 'python: nprof capture starts no program', '--kineto PID'),
    ('capture torchrun --nproc 2', 1, '--nproc', 'capture --help'),
    ('ask IN verdict', 1, 'IN is where the tool should be', 'nprof ask verdict IN'),
    ('ask table IN kernels', 1, 'kernels: expected NAME=VALUE', 'name=kernels'),
    ('ask sql IN select\t1', 1, 'select 1: expected NAME=VALUE', 'query=select 1'),
    ('report IN ops', 2, 'ops: there is no such file', 'did you mean --only ops?'),
    ('report IN kernls', 2, 'kernls: there is no such file', 'did you mean --only kernels?'),
    ('report nccl IN', 2, 'nccl: there is no such file', 'did you mean --only collectives?'),
    ('report idle', 2, 'idle: there is no such file', 'did you mean --only idle?'),
    ('report idel', 2, 'idel: cannot be read', 'check the name'),
    ('profiles delete x', 1, 'delete', 'did you mean rm?'),
]


def fixtures(folder):
    shutil.copy(sample(), os.path.join(folder, 'IN'))
    write(os.path.join(folder, 'EMPTY'), b'')
    write(os.path.join(folder, 'PICTURE'), b'\x89PNG\r\n\x1a\n0000')
    write(os.path.join(folder, 'CUT'), b'{"traceEvents": [{"name": "a')
    os.mkdir(os.path.join(folder, 'FOLDER'))
    os.mkdir(os.path.join(folder, 'SOURCES'))
    write(os.path.join(folder, 'SOURCES', 'm.c'), b'int main;')


def try_some(folder, uses):
    fixtures(folder)
    for typed, status, wrong, right in uses:
        words = [word.replace('\t', ' ') for word in typed.split(' ')]
        result = run(*words)
        said = result.out + result.err
        check_same(result.status, status, typed)
        check(wrong in said, f'{typed}: `{wrong}` is not in\n{said}')
        check(right in said, f'{typed}: `{right}` is not in\n{said}')


for begin in range(0, len(USES), 10):
    part = USES[begin : begin + 10]

    def some(folder, uses=part):
        try_some(folder, uses)

    add_test(f'from_{part[0][0].split(" ")[0].strip("-")}_{begin}', some)

if __name__ == '__main__':
    main()
