# SPDX-License-Identifier: Apache-2.0
"""neuron.py - reads what `neuron-profile view --output-format json` writes."""

from exact import scaled
from model import Profile, Row

SECTIONS = {'instruction', 'dma', 'active_time', 'layer_summary', 'semaphore_update', 'summary'}
WAIT = 'EVENT_SEMAPHORE'


def is_one(data):
    return isinstance(data, dict) and 'traceEvents' not in data and len(SECTIONS & set(data)) > 1


def read(data):
    """Rows that repeat their packets (aggregated) are no work beside them."""
    profile = Profile()
    profile.neuron = True
    for section, name in (('instruction', 'opcode'), ('dma', None)):
        for item in data.get(section) or []:
            if item.get('aggregated') == 'yes':
                continue
            first = scaled(item['timestamp'], 3)
            row = Row(item[name] if name else 'DMA', section, first, first + scaled(item['duration'], 3),
                      item.get('subgraph'), len(profile.spans), item)
            profile.spans.append((row.first, row.end, row.name if row.category != 'dma' else 'dma'))
            if row.name != WAIT:
                core = item.get('subgraph')
                profile.device(core, core).work.append(row)
    return profile
