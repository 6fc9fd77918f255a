# SPDX-License-Identifier: Apache-2.0
"""spans.py - the decoder of spans.c by nprof_plugin."""

import struct

import nprof_plugin as nprof

nprof.plugin('spans-python', '1', 'Apache-2.0')


@nprof.decoder('bench.spans-python', 'two numbers a span', formats='spans')
class Spans:
    def __init__(self, host, options):
        self.host = host

    @staticmethod
    def probe(head, _path):
        return 90 if head.startswith(b'spans\0\0\0') else 0

    def decode(self, data):
        if not self.probe(bytes(data[:8]), ''):
            self.host.fail(nprof.E_FORMAT, 'byte 0: expected `spans`')
        writer, name = self.host.writer(), self.host.intern('span')
        track = self.host.track(nprof.TRACK_THREAD, 'lane')
        start = told = 0
        whole = len(data) - len(data) % 4
        for number, (gap, duration) in enumerate(struct.iter_unpack('<HH', data[8:whole])):
            start += gap * 1000
            writer.span(track, name, start, duration * 1000)
            if number % 65536 == 65535:
                self.host.progress(told, 8 + 4 * number)
                told = 8 + 4 * number
        self.host.progress(told, len(data))
