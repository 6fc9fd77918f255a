# SPDX-License-Identifier: Apache-2.0
"""influx-lines.py - our line protocol is that of others, on a corpus of nasty text: the same lines
as InfluxData's own client writes, and read back by the parser of InfluxDB::LineProtocol.

Environment: NPROF_INFLUX_CORPUS the program that writes our lines, NPROF_NPM the folder of what
./dev fetches."""

import itertools
import json
import os
import re
import shutil
import subprocess

from servers import parse_line
from harness import Skip, check, check_same, main, test

OURS = os.environ.get('NPROF_INFLUX_CORPUS', '')
CLIENT = os.path.join(
    os.environ.get('NPROF_NPM', ''), 'node_modules', '@influxdata', 'influxdb-client'
)

TEXTS = [
    'plain',
    'a b',
    ' lead',
    'trail ',
    'a,b',
    'a=b',
    'a"b',
    '"',
    "it's",
    'a\\b',
    'a\\ b',
    'a\\,b',
    'a\\=b',
    '\\\\',
    '\\"',
    'naïve',
    '日本語',
    '😀',
    '#hash',
    'a/b:c;d',
    '{"j": [1,2]}',
    '100%',
    '<b>',
    '`x`',
    '$(x)',
    'é',
    'x' * 300,
    ', ,=,',
    '= =',
    '\\n',
    'a\\',
]
BREAKS = ['a\nb', 'a\tb', 'a\rb']
NUMBERS = [0, 1, -1, 2**53, -(2**52), 0.5, -0.25, 1e-7, 123456.789, 1.7976931348623157e308]


def corpus(breaks=True, trailing=True):
    texts = [t for t in TEXTS + (BREAKS if breaks else []) if trailing or not t.endswith('\\')]
    points = []
    for i, (a, b) in enumerate(itertools.product(texts, texts)):
        points.append(
            {
                'measurement': a if i % 7 == 0 and not a.endswith('\\') and a[0] != '#' else 'm',
                'tags': {'k': a, 'k ' + str(i % 5): b, 'empty': ''},
                'fields': {
                    's': b.replace('\n', ' '),
                    'n': NUMBERS[i % len(NUMBERS)],
                    'b': i % 2 == 0,
                },
                'time': i - 50,
            }
        )
    return points


def pipe(command, text, **more):
    done = subprocess.run(
        command, input=text.encode(), capture_output=True, check=False, timeout=60, **more
    )
    check(done.returncode == 0, f'{command[0]} failed: {done.stderr[-1000:]}')
    return done.stdout.decode()


def as_json(points):
    return ''.join(json.dumps(p, ensure_ascii=False) + '\n' for p in points)


def ours(points):
    return pipe([OURS], as_json(points))


CLIENT_PROGRAM = '''
const { Point } = require(process.env.CLIENT)
const lines = require('fs').readFileSync(0, 'utf8').split('\\n').filter(Boolean)
for (const line of lines) {
  const p = JSON.parse(line)
  const exact = line.match(/"n": (-?\\d+)[,}]/)
  const point = new Point(p.measurement)
  for (const [k, v] of Object.entries(p.tags)) point.tag(k, v)
  point.booleanField('b', p.fields.b)
  if (exact) point.intField('n', exact[1])
  else point.floatField('n', p.fields.n)
  point.stringField('s', p.fields.s)
  point.timestamp(String(p.time))
  console.log(point.toLineProtocol())
}
'''


@test
def influxdata_client(_folder):
    """Line by line the same; but it writes tags that end in a backslash, which no server reads."""
    if not os.path.exists(os.path.join(CLIENT, 'dist', 'index.js')):
        raise Skip('@influxdata/influxdb-client is not here (./dev test fetches it)')
    points = corpus(trailing=False)
    theirs = pipe(
        ['node', '-e', CLIENT_PROGRAM],
        as_json(points),
        env={**os.environ, 'CLIENT': os.path.join(CLIENT, 'dist', 'index.js')},
    )
    lines, expected = ours(points).split('\n')[:-1], theirs.split('\n')[:-1]
    check_same(len(lines), len(expected), 'lines')
    for line, other in zip(lines, expected):
        check_same(normal(line), normal(other), 'line')


def normal(line):
    """Numbers and truth are written in different ways."""
    measurement, tags, fields, time = parse_line(line)
    if not fields['n'].endswith('i'):
        fields['n'] = float(fields['n'])
    fields['b'] = fields['b'][0].upper()
    head = line[: line.index(' b=')]  # measurement and tags to the letter
    return head, measurement, tags, fields, time


PERL_PROGRAM = '''
use utf8; use open qw(:std :utf8);
use InfluxDB::LineProtocol qw(line2data);
use JSON::PP;
while (my $line = <STDIN>) {
  chomp $line;
  my ($measurement, $values, $tags, $time) = line2data ($line);
  print JSON::PP->new->canonical->encode ([$measurement, $tags, $values, $time]), "\\n";
}
'''


@test
def perl_parser(_folder):
    """It reads what was written.  It takes a backslash before any character as an escape, so
    texts that hold one are left to the others."""
    if (
        not shutil.which('perl')
        or subprocess.run(
            ['perl', '-MInfluxDB::LineProtocol', '-e', '1'], check=False, capture_output=True
        ).returncode
    ):
        raise Skip(
            'InfluxDB::LineProtocol is not installed (package libinfluxdb-lineprotocol-perl)'
        )
    points = [
        p
        for p in corpus(breaks=False)
        if '\\'
        not in json.dumps([p['tags'], p['measurement']]).replace('\\u', '').replace('\\"', '')
    ]
    found = pipe(['perl', '-e', PERL_PROGRAM], ours(points)).splitlines()
    check_same(len(found), len(points), 'points')
    for text, point in zip(found, points):
        measurement, tags, _, time = json.loads(text)
        check_same(measurement, point['measurement'], 'measurement')
        check_same(tags, {k: v for k, v in point['tags'].items() if v}, 'tags')
        check_same(int(time), point['time'], 'time')


@test
def read_by_hand(_folder):
    """Every class of text, newlines included; a backslash at the end has a space behind it."""
    points = corpus()
    for line, point in zip(ours(points).split('\n'), points):
        _, tags, fields, time = parse_line(line)
        expected = point['tags']['k']
        for raw, escape in (('\n', '\\n'), ('\r', '\\r'), ('\t', '\\t')):
            expected = expected.replace(raw, escape)
        check_same(tags['k'], expected + (' ' if expected.endswith('\\') else ''), 'tag')
        check_same(re.sub(r'\\(["\\])', r'\1', fields['s'][1:-1]), point['fields']['s'], 'string')
        check_same(time, point['time'], 'time')


if __name__ == '__main__':
    main()
