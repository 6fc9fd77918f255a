# SPDX-License-Identifier: Apache-2.0
"""neuron.py - reads what `neuron-profile view --output-format json` writes."""

from exact import scaled
from model import Profile, Row, neuron_kind

SECTIONS = {'instruction', 'dma', 'active_time', 'layer_summary', 'semaphore_update', 'summary'}
WAITS = ('EVENT_SEMAPHORE', 'EVENT_WAIT')


def is_one(data):
    return isinstance(data, dict) and 'traceEvents' not in data and len(SECTIONS & set(data)) > 1


def cores(profile, data):
    """The device of each graph, by its name."""
    found = {}
    for model in data.get('model_info') or []:
        core = model.get('nc_idx', 0)
        found[model.get('sg_name')] = profile.device(
            core, f"Neuron device {model.get('nd_idx', 0)}/NeuronCore {core}"
        )
    stated = (data.get('summary') or [{}])[0]
    numbers = (f' {stated[key]}' if key in stated else '' for key in ('nd_idx', 'nc_idx'))
    return found or {None: profile.device(None, 'Neuron device{}/NeuronCore{}'.format(*numbers))}


def queue(item):
    """ "qSyncSpillReload0-Q1-E0" without the numbers; "Q0-E3" has no name."""
    name = item.get('subgroup') or ''
    name = name.removesuffix(f"Q{item.get('dma_queue')}-E{item.get('dma_engine')}").removesuffix(
        '-'
    )
    return name or f"queue {item.get('dma_queue')}"


def amounts(item):
    """Flops and bytes of the main memory that a row states; two flops for each
    multiply-accumulate."""
    found = {}
    if 'flops' in item or 'elements' in item:
        found['flops'] = flops = item['flops'] if 'flops' in item else 2 * item['elements']
        transposed = item.get(
            'flops_transpose', flops if item.get('instruction_type') == 'TRANSPOSE' else 0
        )
        found['model_flops'] = flops - transposed
    moved = [item[key] for key in ('hbm_read_bytes', 'hbm_write_bytes') if key in item]
    return {**found, 'hbm_bytes': sum(moved)} if moved else found


def rates(metadata):
    """The peaks that the file states, in the words of an XSpace."""
    facts, clock = {}, float(metadata.get('pe_clock_freq') or 0)
    hertz = clock * 1e9 if clock < 1000 else clock
    if hertz and metadata.get('pe_num_rows') and metadata.get('pe_num_cols'):
        facts['peak_teraflops_per_second'] = (
            2 * metadata['pe_num_rows'] * metadata['pe_num_cols'] * hertz / 1e12
        )
    if metadata.get('hbm_ddr_bandwidth'):
        facts['peak_hbm_bw_gigabytes_per_second'] = float(metadata['hbm_ddr_bandwidth']) / 1e9
    return facts


def execution(data, last):
    """What a summary states of it, or the end of one of version 6; else what was recorded."""
    metadata = (data.get('metadata') or [{}])[0]
    stated = next(
        (item['total_time'] for item in data.get('summary') or [] if 'total_time' in item), None
    )
    if stated is not None and scaled(stated, 12) > 0:
        return 'execution', scaled(stated, 12)
    ends = metadata.get('last_hw_timestamp')
    name = 'execution' if ends is not None and metadata.get('ntff_version', 0) >= 6 else 'recorded'
    return name, scaled(ends, 3) if ends is not None else last


def add_row(profile, device, section, item):
    """Rows that repeat their packets (aggregated) are no work beside them."""
    dma, first = section == 'dma', scaled(item['timestamp'], 3)
    row = Row(
        queue(item) if dma else item['opcode'],
        section,
        first,
        first + scaled(item['duration'], 3),
        (item['dma_engine'], item['dma_queue']) if dma else item.get('subgroup'),
        len(profile.spans),
        amounts(item),
    )
    row.args.update(hlo_name=item.get('hlo_name'), layer=item.get('layer'))
    row.kind = neuron_kind(row.name, dma)
    profile.spans.append((row.first, row.end, 'dma' if dma else row.name))
    device.told.add(section)
    if row.name not in WAITS:
        device.work.append(row)


def read(data):
    profile = Profile()
    header = (data.get('neff_header') or [{}])[0]
    profile.neuron = True
    profile.logical = int(header.get('number_of_neuroncores_per_lnc') or 0) > 1
    devices = cores(profile, data)
    for section in ('instruction', 'dma'):
        for item in data.get(section) or []:
            if item.get('aggregated') != 'yes':
                add_row(
                    profile,
                    devices.get(item.get('subgraph')) or next(iter(devices.values())),
                    section,
                    item,
                )
    name, length = execution(data, max((end for _, end, _ in profile.spans), default=0))
    facts = rates((data.get('metadata') or [{}])[0])
    for device in profile.devices.values():
        device.facts = facts
        if profile.spans:
            device.around.append(Row(name, name, 0, length, None, -1))
    return profile
