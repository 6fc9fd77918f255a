# SPDX-License-Identifier: Apache-2.0
"""served.py - profiles of servers of inference, made at random: steps of each dialect, which
devices annotate or the host alone, on one or two GPUs and streams, and spans of requests as
SGLang's convert_otel_2_perfetto.py adds them."""

import json
import random

SEEDS = range(24)
STAGES = (
    'tokenize',
    'api_server_dispatch',
    'request_process',
    'prefill_waiting',
    'prefill_forward',
    'decode_forward',
)


def vllm(r, phase):
    prefill, decode = r.randrange(1, 4), r.randrange(1, 9)
    if phase == 'verify':
        return 'execute_context_0(0)_generation_2(6)'  # several tokens a request
    n, t = (prefill, prefill * r.randrange(1, 99)) if phase != 'decode' else (0, 0)
    m = decode if phase != 'prefill' else 0
    return f'execute_context_{n}({t})_generation_{m}({m})'


def summed(r, phase):
    n, t = (1, r.randrange(1, 99)) if phase != 'decode' else (0, 0)
    m = r.randrange(1, 9) if phase != 'prefill' else 0
    return f'execute_{n + m}_context_{n}(sq{t}sk{t}sqsq{t}sqsk{t})_generation_{m}(sq{m}sk{m}sqsq{m}sqsk{m})'


def old(r, phase):
    return f"execute_new_{0 if phase == 'decode' else r.randrange(1, 9)}_cached_{0 if phase == 'prefill' else r.randrange(1, 9)}"


def sglang(r, phase):
    word = {
        'prefill': r.choice(('EXTEND', 'PREFILL')),
        'decode': 'DECODE',
        'mixed': 'MIXED',
        'verify': 'TARGET_VERIFY',
    }[phase]
    tokens = f' toks={r.randrange(1, 99)}' if phase in ('prefill', 'mixed') else ''
    return f'step[{word} bs={r.randrange(1, 9)}{tokens}]'


def atom(r, phase):
    bs = r.randrange(1, 9)
    return (
        f'prefill[bs={bs} tok={bs * 7}]'
        if phase == 'prefill'
        else f"decode[bs={bs} tok={bs if phase == 'decode' else 3 * bs}]"
    )


class Served:
    """Times are us."""

    def __init__(self, seed):
        self.random = r = random.Random(seed)
        self.gpus, self.annotated = r.choice((1, 1, 2)), r.random() < 0.5
        self.events, self.correlation, self.over = [], 0, 0
        dialect = r.choice((vllm, summed, old, sglang, atom))
        at = r.randrange(50)
        for _ in range(r.randrange(1, 40)):
            if r.random() < 0.2:
                at = self.between(at)
            at = self.step(
                dialect(r, r.choice(('prefill', 'decode', 'decode', 'decode', 'mixed', 'verify'))),
                at,
            )
        if r.random() < 0.7:
            self.requests(at)
        if r.random() < 0.5:
            r.shuffle(self.events)

    def add(self, name, cat, first, end, pid, tid, **args):
        self.events.append(
            {
                'ph': 'X',
                'name': name,
                'cat': cat,
                'ts': first,
                'dur': end - first,
                'pid': pid,
                'tid': tid,
                'args': args,
            }
        )

    def launch(self, at):
        """Returns (GPU, stream, first, end) of each piece of work; a graph has several."""
        r, work = self.random, []
        self.correlation += 1
        if r.random() < 0.95:
            self.add(
                'cudaLaunchKernel', 'cuda_runtime', at, at + 1, 100, 1, correlation=self.correlation
            )
        for _ in range(r.choice((1, 1, 1, 3))):
            gpu, stream = r.randrange(self.gpus), r.choice((7, 7, 20))
            first = max(at + 1, self.over) + r.randrange(9)
            end = first + r.randrange(1, 30)
            self.add(
                'gemm',
                'kernel',
                first,
                end,
                gpu,
                stream,
                device=gpu,
                stream=stream,
                correlation=self.correlation,
            )
            work.append((gpu, stream, first, end))
        return work

    def between(self, at):
        self.over = max([self.over] + [end for *_, end in self.launch(at)])
        return at + 2

    def step(self, name, at):
        """Work of a step begins when that of the one before is over, so that its parts on several
        streams are its own."""
        r = self.random
        end = at + r.randrange(3, 40)
        self.add(name, 'user_annotation', at, end, 100, 1)
        if r.random() < 0.1:
            self.add(sglang(r, 'decode'), 'user_annotation', at + 1, end - 1, 100, 1)
        work = [w for _ in range(r.randrange(4)) for w in self.launch(r.randrange(at, end))]
        for gpu, stream in sorted({w[:2] for w in work}) if self.annotated else ():
            own = [w for w in work if w[:2] == (gpu, stream)]
            self.add(
                name,
                'gpu_user_annotation',
                min(w[2] for w in own),
                max(w[3] for w in own),
                gpu,
                stream,
            )
        self.over = max([self.over] + [w[3] for w in work])
        return end + r.choice((0, 0, r.randrange(20)))

    def requests(self, until):
        """Some lack their first spans, some their last; ranks may each have their own."""
        r = self.random
        for number in range(r.randrange(1, 30)):
            at, first, last = (
                r.randrange(until + 1),
                r.choice((0, 0, 0, r.randrange(6))),
                r.choice((6, 6, 6, r.randrange(6))),
            )
            for name in STAGES[first:last]:
                end = at + r.randrange(1, 90)
                for rank in range(r.choice((1, 1, 2))):
                    self.add(
                        name,
                        'sglang',
                        at + rank,
                        end + 2 * rank,
                        50 + rank,
                        1,
                        rid=f'{number:032x}',
                        correlation=r.randrange(9),
                    )
                at = end + r.randrange(5)
        self.add('worker', 'sglang', 0, until, 'smg', 1)


def served(path, seed):
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'schemaVersion': 1, 'traceEvents': Served(seed).events}, file)
    return path
