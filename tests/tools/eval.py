#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""eval.py [--legacy] NPROF QUESTIONS ROOT - asks a server of nprof mcp below ROOT the questions of
QUESTIONS/q_*.json by the calls that each names, and judges what it answers: right, abstained,
wrong, or trap, a known wrong answer. No model takes part.

With --print the questions are printed for one; with --answers FILE its answers are judged, lines of
{"id": ..., "value": ... or "code": ..., "calls": n, "bytes": n}.  docs/agents.md says how."""

import argparse
import glob
import json
import os
import statistics
import subprocess
import sys

PREFIX = 'io.modelcontextprotocol/'
META = {PREFIX + 'protocolVersion': '2026-07-28', PREFIX + 'clientCapabilities': {}}
FACTORS = {'_ps': 1e-3, '_ns': 1, '_us': 1e3}  # to ns
FOLDS = {
    'one': lambda v: v[0],
    'mean': statistics.mean,
    'sum': sum,
    'max': max,
    'min': min,
    'median': statistics.median,
    'count': len,
}


class Server:
    def __init__(self, program, root, legacy):
        self.process = subprocess.Popen(
            [program, 'mcp', root], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.meta, self.number = {} if legacy else {'_meta': META}, 0
        if legacy:
            self.ask('initialize', {'protocolVersion': '2025-11-25', 'capabilities': {}})

    def ask(self, method, params):
        self.number += 1
        request = {
            'jsonrpc': '2.0',
            'id': self.number,
            'method': method,
            'params': dict(params, **self.meta),
        }
        self.process.stdin.write(json.dumps(request).encode() + b'\n')
        self.process.stdin.flush()
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get('id') == self.number:
                return message.get('result', {})

    def call(self, tool, arguments):
        result = self.ask('tools/call', {'name': tool, 'arguments': arguments})
        return (
            result.get('structuredContent', {}),
            len(result['content'][0]['text'].encode()) if result else 0,
        )

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def member(value, path):
    for name in path.split('.'):
        if isinstance(value, list):
            value = value[int(name)] if name.isdigit() and int(name) < len(value) else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def of_list(answer, place):
    found = [
        item.get(place['field'])
        for item in member(answer, place['list']) or []
        if item.get(place['key']) == place['is_']
    ]
    value = found[0] if found else None
    if place.get('over') == 'idle' and value is not None:
        idle = sum(
            part['ns']
            for part in member(answer, 'data.parts') or []
            if part['part'].startswith('idle')
        )
        value = value / idle if idle else None
    return value


def of_rows(answer, place):
    names = [column['name'] for column in member(answer, 'data.columns') or []]
    name = next((name for name in place['col'].split('|') if name in names), None)
    values = [row[names.index(name)] for row in answer['data']['rows']] if name else []
    values = [value for value in values if value is not None]
    if not values:
        return None
    value = FOLDS[place.get('fold', 'one')](values)
    return value * FACTORS.get(name[-3:], 1) if isinstance(value, (int, float)) else value


def read_value(answer, place):
    """The value that the question asks for, where it says that it stands."""
    if 'list' in place:
        return of_list(answer, place)
    if 'count' in place:
        found = member(answer, place['count'])
        return len(found) if isinstance(found, list) else None
    return of_rows(answer, place) if 'col' in place else member(answer, place['field'])


def same_name(found, wanted):
    """Names may be cut in their middle."""
    head, cut, tail = found.partition('…')
    return found == wanted or bool(
        cut and len(head + tail) >= 24 and wanted.startswith(head) and wanted.endswith(tail)
    )


def judge_code(answer, value, code):
    if answer['type'] == 'unknown':
        accepted = [answer['value'], *answer.get('accept', [])]
        return (
            'right'
            if code in accepted or value in accepted
            else 'abstained'
            if value is None
            else 'wrong'
        )
    if answer['type'] == 'refused':
        return 'right' if answer['value'] in (value, code) else 'wrong'
    if value is None:
        return 'right' if code and code in answer.get('accept_unknown', []) else 'abstained'
    if value == answer['value'] or value in answer.get('accept', []):
        return 'right'
    return 'trap' if value in answer.get('forbid', []) else 'wrong'


def judge(answer, value, code):
    """value and code: what was answered, None where there is none."""
    if answer['type'] in ('unknown', 'refused', 'code') or value is None:
        return judge_code(answer, value, code)
    if answer['type'] == 'name':
        known = isinstance(value, str) and (
            same_name(value, answer['value']) or value.startswith(answer.get('accept_prefix', '\0'))
        )
        return 'right' if known else 'wrong'
    margin = max(
        answer.get('abs', 0),
        answer.get('rel', 0) * abs(answer['value']),
        1 if answer['type'] == 'time_ns' else 0,
    )
    return (
        'right'
        if isinstance(value, (int, float)) and abs(value - answer['value']) <= margin
        else 'wrong'
    )


def ask(server, question):
    """Makes the calls of the question; returns the last answer, calls and bytes."""
    ids, answer, size = [], {}, 0
    for calls, (tool, arguments) in enumerate(question['policy'], 1):
        given = {f'${i}': one for i, one in enumerate(ids)}
        arguments = {
            name: given.get(value, value) if isinstance(value, str) else value
            for name, value in arguments.items()
        }
        answer, taken = server.call(tool, arguments)
        size += taken
        ids += [answer['id']] if 'id' in answer else []
        if 'error' in answer:
            break
    return answer, calls, size


def result_of(server, question):
    answer, calls, size = ask(server, question)
    wanted = question['answer']
    code = answer.get('reason', {}).get('code') or answer.get('error', {}).get('code')
    value = (
        None if 'error' in answer or 'reason' in answer else read_value(answer, question['read'])
    )
    result = judge(wanted, value, code)
    actions = {finding['action'] for finding in member(answer, 'data.findings') or []}
    if actions & set(wanted.get('forbid_action', [])):
        result = 'trap'
    return {
        'id': question['id'],
        'result': result,
        'got': code if value is None else value,
        'calls': calls,
        'bytes': size,
    }


def judged(question, lines):
    line = lines.get(question['id'], {})
    return {
        'id': question['id'],
        'result': judge(question['answer'], line.get('value'), line.get('code')),
        'got': line.get('value', line.get('code')),
        'calls': line.get('calls', 0),
        'bytes': line.get('bytes', 0),
    }


def print_questions(questions):
    print(
        'Answer each with a line of JSON: {"id":..., "value": a number in ns, bytes, a share from 0 to 1, a count, a name or '
        'a code; or "code": why it is unknown, "calls": n, "bytes": n}. Use the tools of nprof alone.'
    )
    for question in questions:
        print(
            json.dumps(
                {
                    'id': question['id'],
                    'files': question['files'],
                    'type': question['answer']['type'],
                    'ask': question['ask'],
                },
                ensure_ascii=False,
            )
        )


def report(questions, results):
    for question, result in zip(questions, results):
        print(
            f'{result["result"]:9} {result["id"]:16} {result["calls"]} calls {result["bytes"]:6} bytes  '
            f'got {str(result["got"])[:28]:28} want {str(question["answer"]["value"])[:28]}'
        )
    count = {
        kind: sum(r['result'] == kind for r in results)
        for kind in ('right', 'abstained', 'wrong', 'trap')
    }
    print(
        f'{len(results)} questions: {count["right"]} right, {count["abstained"]} abstained, {count["wrong"]} wrong, '
        f'{count["trap"]} traps; {sum(r["calls"] for r in results)} calls, {sum(r["bytes"] for r in results)} bytes'
    )
    return count['right'] == len(results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--legacy', action='store_true')
    parser.add_argument('--print', action='store_true')
    parser.add_argument('--answers')
    parser.add_argument('nprof')
    parser.add_argument('questions')
    parser.add_argument('root')
    asked = parser.parse_args()
    questions = []
    for path in sorted(glob.glob(os.path.join(asked.questions, 'q_*.json'))):
        with open(path, encoding='utf-8') as file:
            questions += json.load(file)['questions']
    if asked.print:
        print_questions(questions)
        return 0
    if asked.answers:
        with open(asked.answers, encoding='utf-8') as file:
            lines = {line['id']: line for line in map(json.loads, filter(str.strip, file))}
        return 0 if report(questions, [judged(question, lines) for question in questions]) else 1
    server = Server(asked.nprof, asked.root, asked.legacy)
    results = [result_of(server, question) for question in questions]
    good = report(questions, results)
    return server.end() or (0 if good else 1)


if __name__ == '__main__':
    sys.exit(main())
