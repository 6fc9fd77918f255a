// SPDX-License-Identifier: Apache-2.0
// What Show of a finding selects: its own times, a gap of its part, or the longest of its calls. It
// says how far that goes, as most findings are of many rows.
import { say } from '../base/element.js'
import { deviceTracks, showLongest } from '../base/find.js'
import { durationText } from '../base/time.js'
import { ranges } from '../timeline/tiles.js'
import { counted } from '../base/values.js'
import { showGap, showPart, TABS } from './shown.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('../base/session.js').Window} Window */
/** @typedef {import('../base/answers.d.ts').Finding} Finding */

/**
 * Kinds of work, as route s has them, that parts of the time of devices are of.
 * @type {Record<string, string[]>}
 */
const WORK = {
  exposed: ['communication', 'copies'],
  'exposed/comm': ['communication'],
  'exposed/comm/ranks': ['communication'],
  'exposed/copy': ['copies'],
}

/**
 * Opens the widget of a rule, or the table that it looks at.
 * @param {Page} page @param {{widget: string, table: string}} rule
 */
export function openWidget(page, { widget, table }) {
  if (widget) page.open(widget)
  else if (table) page.open('table:' + table)
}

/** @param {Page} page @param {Finding} finding */
export async function showFinding(page, finding) {
  const { rule, widget, evidence } = finding,
    range = { t0: BigInt(evidence.t0), t1: BigInt(evidence.t1) },
    idle = evidence.exact ? undefined : /^idle\/(.+)/.exec(evidence.about ?? '')?.[1]
  if (idle) {
    const ofLaunches = ['launches', 'host'].includes(idle) ? ['host', 'launch'] : undefined,
      short = ofLaunches && idle === 'launches'
    return showPart(page, { ...evidence, part: idle, causes: ofLaunches, short, range })
  }
  openWidget(page, { widget: TABS[rule] ?? widget, table: evidence.table })
  if (evidence.exact) return showTimes(page.session, finding, range)
  const said = await selectCall(page.session, finding, range).catch(error => error.message)
  if (said) say(said)
}

/**
 * Times of its own, which are those of a gap where it is of idle time.
 * @param {Session} session @param {Finding} finding @param {Window} range
 */
function showTimes(session, { evidence: { device } }, range) {
  const { t0, t1 } = range,
    gap = session.gaps.value.find(
      ({ track, ...one }) =>
        one.t0 === t0 &&
        one.t1 === t1 &&
        (!device || (track !== null && session.model.inTables(track).includes(device))),
    )
  if (showGap(session, gap ?? { ...range, cause: '', track: null }) && gap)
    say('selected: the longest gap of ' + (device ?? 'all'))
}

/** Tracks of a name, as tables have it. @param {Session} session @param {string} name */
const tracksOf = ({ model }, name) =>
  [...model.tracks.keys()].filter(track => model.inTables(track).includes(name))

/**
 * Selects the longest call of its name, else of its kind of work.
 * @param {Session} session @param {Finding} finding @param {Window} range
 * @returns {Promise<string>} what is said of it; none where people selected something meanwhile
 */
async function selectCall(session, { answer, rule, evidence }, range) {
  const { about, track, place } = evidence,
    // Who waits is shown, and not whom they wait for.
    on = answer === 'straggler' ? null : (track ?? evidence.device),
    own = track ? tracksOf(session, track) : deviceTracks(session, on),
    where = { ...range, ...(own.length ? { tracks: ranges(own) } : {}) },
    works = WORK[about ?? ''] ?? [],
    before = session.selection.value
  if (on && !own.length) return 'nothing is selected: the timeline has no row of ' + on
  const there = on ? ' on ' + on : '',
    called = place ? await showLongest(session, place, where, before) : 0
  if (called === null) return ''
  if (called)
    return `selected: the longest of ${counted(called, 'call')} of ${session.names.called.value(place ?? '')}${there}`
  const [most] = (await callsOfWork(session, where, works)).sort((a, b) =>
    Number(b.alone - a.alone),
  )
  if (session.selection.value !== before) return ''
  if (!most) return 'nothing is selected: no one row or time is what ' + rule + ' is of'
  await session.select({ kind: 'event', row: most.row }, { reveal: true })
  const start = BigInt(most.start),
    duration = BigInt(most.duration)
  session.showSpan(start, start + duration, 1)
  const alone =
    most.alone > 0n ? durationText(most.alone) + ' of ' + durationText(duration) : 'none'
  return `selected: of the longest calls of ${works.join(' and ')}${there} the one with most time in which nothing computes, ${alone}`
}

/** @typedef {import('../base/answers.d.ts').Latency['outliers'][number]} Call */

/** Names, and calls of all of them, that are looked at: the longest. */
const MOST_NAMES = 4,
  MOST_CALLS = 16

/** The longest calls of kinds of work, each with the time in which its device computes nothing, or less where several of its rows compute at once. @param {Session} session @param {import('../base/api.js').Params} where @param {string[]} works @returns {Promise<(Call & {alone: bigint})[]>} */
async function callsOfWork(session, where, works) {
  const sums = await Promise.all(
      works.map(work => session.ask('s', { ...where, work, by: 'name', n: 1000, percentiles: 1 })),
    ),
    names = sums
      .flatMap(({ rows }) => rows.filter(row => row.max && row.inside === row.self_inside))
      .sort((a, b) => Number(b.max) - Number(a.max)),
    found = await Promise.all(
      names
        .slice(0, MOST_NAMES)
        .map(({ name }) => session.ask('latency', { ...where, name, bins: 1 })),
    ),
    calls = found
      .flatMap(({ outliers }) => outliers)
      .sort((a, b) => Number(b.duration) - Number(a.duration))
  return Promise.all(calls.slice(0, MOST_CALLS).map(call => withAlone(session, call)))
}

/** @param {Session} session @param {Call} call */
async function withAlone(session, call) {
  const { model } = session,
    deviceOf = (/** @type {number} */ track) => model.deviceOf(track)?.track,
    own = deviceOf(model.lanes.get(Number(call.row.split('.')[0]))?.track ?? -1),
    start = BigInt(call.start),
    duration = BigInt(call.duration)
  const { shared } = await session.ask('s', {
      t0: start,
      t1: start + duration,
      tracks: ranges([...model.tracks.keys()].filter(track => deviceOf(track) === own)),
      work: 'compute',
      n: 1,
    }),
    computed = shared.find(one => one.kinds)?.kinds?.compute ?? '0'
  return { ...call, alone: duration - BigInt(computed) }
}
