# SPDX-License-Identifier: Apache-2.0
"""bound.py - figures of the first screen that say what bounds a step: its headline, the line of the critical path, and
which causes it says not to have found or not to know."""

import re

import steps
import use
import verdict
from exact import measure

NOUNS = {'input': 'host', 'memory-bandwidth': 'compute', 'mixed': 'the largest part'}
RESTS_ON_HOST = ('host', 'launch', 'mixed')


def computing(profile):
    """Of the whole recording, as the times of operators are: of work that calls launch that of each row; of other
    devices that of their steps."""
    launched = sum(row.duration for device in profile.devices.values() for row in device.work
                   if row.kind == 'compute' and verdict.has_launches(row))
    return max(launched, sum(row['compute_ps'] for _, _, row, _, _ in steps.steps(profile)))


def differs(differ, what, expected, found):
    differ.checked.add(what)
    if expected != found:
        differ.append(('screen', (what,), 'word', expected, found))


def check_headline(differ, text, best):
    word = re.match(r"[A-Z' -]+", text).group().rstrip()
    word = {'BOUND BY': 'unknown', 'MIXED': 'mixed'}.get(word, word.lower().removesuffix('-bound'))
    differs(differ, 'headline', best.word, word)
    path = re.search(r'(<?[\d.]+) % of the critical path', text)
    if path:
        differ.expect('headline, path', path.group(1), '%', best.share)
    mixed = re.match(r'MIXED: .* the largest (<?[\d.]+) %(?:, (\S+) (<?[\d.]+) %)?', text)
    if mixed:
        differ.expect('mixed', mixed.group(1), '%', best.share)
        if mixed.group(2):
            differs(differ, 'mixed, second', best.second, mixed.group(2))
            differ.expect('mixed, of second', mixed.group(3), '%', best.second_share)


def check_path(differ, found, best, often, of):
    question = 'critical path'
    if (question in found) != (best.word != 'unknown'):
        differ.append(('screen', (question,), 'said', best.word, question in found))
    if question not in found:
        return
    differ.expect(question, *use.split(found[question][0]), best.share)
    text = re.match(r'(the largest part|\S+?)(?:, (\S+) (<?[\d.]+) %)?(?:; in (\d+) of (\d+) steps)?  ', found[question][1])
    noun = best.most if best.word == 'launch' else NOUNS.get(best.word, best.word)
    differs(differ, 'path of', noun, text.group(1))
    if text.group(2):
        differs(differ, 'path, second', best.second, text.group(2))
        differ.expect('path, of second', text.group(3), '%', best.second_share)
    elif best.second_share >= 0.005:
        differ.append(('screen', (question,), 'second', best.second, 'not said'))
    if of > 1:
        differs(differ, 'path, steps', (str(often), str(of)), text.group(4, 5))


def silent(means):
    """Of most of the time in which the device waited for the host nobody knows what that did."""
    where = sum(names.get('(no span)', 0) + names.get('', 0) for _, _, _, names in means.whole)
    return 2 * where > means.mean('idle_host_ps') * len(means.whole)


def waits_for_data(means, best):
    return best.loads and means.mean('idle_host_ps') >= 0.05 * means.mean('window_ps')


def lie_between(means):
    """Most of the time from the first step to the last is in none."""
    windows = [(row['start_ps'], row['start_ps'] + row['window_ps']) for _, row, _, _ in means.rows]
    all_time = max(end for _, end in windows) - min(start for start, _ in windows)
    return means.named and 2 * (all_time - measure(windows)) >= all_time > 0


def causes(profile, means, best):
    """(not found, not known) of input and launch."""
    linked = any(row.launch for device in profile.devices.values() for row in device.work)
    if lie_between(means):
        return [], ['launch'] if best.word == 'input' else ['input', 'launch']
    idle, window = means.mean('idle_ps'), means.mean('window_ps')
    if best.word != 'unknown' and not linked and 2 * idle < window:
        return ['input', 'launch'], []
    if best.word == 'unknown' or not linked:
        return [], ['input', 'launch']
    none, unknown = [], []
    if best.word in RESTS_ON_HOST and silent(means):
        unknown.append('input')
    elif best.word != 'input' and not waits_for_data(means, best):
        none.append('input')
    if best.word != 'launch' and 2 * means.mean('idle_launch_ps') < window:
        none.append('launch')
    return none, unknown


def check_causes(differ, words, profile, means, best):
    none, unknown = causes(profile, means, best)
    said = [word for word in words.get('no finding', '').split(', ') if word in ('input', 'launch')]
    differs(differ, 'no finding', none, said)
    said = re.match(r'[a-z, ]*', words.get("can't tell", '')).group().split(', ')
    differs(differ, "can't tell", unknown, [word for word in said if word in ('input', 'launch')])


def check_bound(differ, headline, found, words, profile, means, uses):
    share = uses.bandwidth_share(computing(profile))
    best, often, of = verdict.most_often(profile, verdict.verdicts(profile, share), means.label)
    check_headline(differ, headline, best)
    check_path(differ, found, best, often, of)
    check_causes(differ, words, profile, means, best)
