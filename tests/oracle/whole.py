# SPDX-License-Identifier: Apache-2.0
"""whole.py - takes cores of Neuron that are one logical core for one device, as verdicts do."""

import copy

from model import Device, Profile


def tracks_of(core, rows):
    """The same rows, on tracks that no other core has."""
    for row in map(copy.copy, rows):
        row.track = core.label, row.track
        yield row


def of(profile):
    if not profile.logical:
        return profile
    whole = Profile()
    whole.__dict__.update(profile.__dict__, devices={})
    for core in profile.devices.values():
        label = core.label.rpartition('/')[0]
        device = whole.devices.setdefault(label, Device(label))
        device.work += tracks_of(core, core.work)
        device.around = device.around or core.around  # its cores run one execution together
        device.facts.update(core.facts)
        device.told |= core.told
    return whole


def core_of(best, profile):
    """The same judgement, of the first core that works: the use of a peak stands on each."""
    if best.device in profile.devices.values():
        return best
    one = copy.copy(best)
    one.device = next(core for core in profile.devices.values() if core.work)
    return one
