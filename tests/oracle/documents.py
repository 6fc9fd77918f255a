# SPDX-License-Identifier: Apache-2.0
"""documents.py - reads a file of JSON, whatever it holds."""

import gzip
import json

import furiosa
import kineto
import neuron


def load(path):
    """Numbers with a point stay text, so that no time goes through a double."""
    opener = gzip.open if path.endswith('.gz') else open
    with opener(path, 'rt', encoding='utf-8', errors='surrogateescape') as file:
        return json.load(file, parse_float=str)


def read(path):
    """The profile; ValueError where the file is none."""
    data = load(path)
    if isinstance(data, list) and furiosa.is_export(data):
        return furiosa.of_export(data)
    if isinstance(data, list):
        data = {'traceEvents': data}
    if 'traceEvents' in data:
        return kineto.read(data)
    if neuron.is_one(data):
        return neuron.read(data)
    raise ValueError('neither trace events nor a profile of Neuron')
