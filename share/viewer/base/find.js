// SPDX-License-Identifier: Apache-2.0
// The three questions that people ask of a step: which step, what was slowest in it, and why its device was idle
// before that. Each is one key and one button.
import { say } from './element.js'
import { withRest } from './rest.js'
import { durationText } from './time.js'
import { causeName } from './step-parts.js'
import { DRAWN } from '../timeline/model.js'
import { ranges } from '../timeline/tiles.js'
import { columnAt } from './values.js'

/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./session.js').Gap} Gap */
/** @typedef {import('./answers.d.ts').Sum} Sum */

/** Whose work a row is where it is of the host, as route s says it. */
export const HOST = 'host threads'

/**
 * Selects the step behind or before the selected one: step-by.js comes when it is asked for.
 * @param {Session} session @param {1 | -1} by
 */
export const stepBy = (session, by) => withRest(rest => rest.stepBy(session, by))

/** Tracks of devices that the file itself has, or of one device. @param {Session} session @param {string | null} [device] as tables name it */
export function deviceTracks({ model }, device) {
  return [...model.tracks.values()]
    .filter(
      ({ track, origin }) =>
        origin === 'decoder' &&
        model.deviceOf(track) &&
        (!device || model.pathOf(track).some(one => model.inTables(one.track).includes(device))),
    )
    .map(one => one.track)
}

/** Those of devices; all where it has no device. @param {Session} session */
function workTracks(session) {
  const own = deviceTracks(session)
  return ranges(own.length ? own : [...session.model.tracks.keys()])
}

/** Names of operators, where the profile has such a table, or a saved page its rows: annotations and whole programs are none. @param {Session} session @returns {Promise<Set<string> | null>} */
async function operatorNames(session) {
  for (const level of ['hlo', 'name']) {
    const { columns, rows } = await session.ask('operators', { level, n: 10000 }).catch(error => {
      if (error.status !== 404) throw error
      return /** @type {import('./answers.d.ts').Sheet} */ ({ columns: [], rows: [] })
    })
    const at = columnAt(columns, 'operator')
    if (rows.length) return new Set(rows.map(row => String(row[at])))
  }
  return null
}

/** Selects the longest event of the selection, or of the window, that has nothing within, in a third of the window's width. @param {Session} session */
export async function slowest(session) {
  const { t0, t1 } = session.rangeOf('selection') ?? session.window.value,
    { tracks, parts } = session.chosenOf('selection'),
    rows = parts ? { parts } : { tracks: tracks.join(',') || workTracks(session) },
    where = { t0, t1, ...rows },
    before = session.selection.value
  const [names, { rows: sums }] = await Promise.all([
    operatorNames(session),
    session.ask('s', { ...where, by: 'name', n: 1000, percentiles: 1 }),
  ])
  const longest = sums
    .filter(
      row =>
        row.max !== null && row.inside === row.self_inside && (!names || names.has(row.name ?? '')),
    )
    .reduce(longer, /** @type {Sum | null} */ (null))
  if (longest) await showLongest(session, longest.name ?? '', where, before)
  else say('Nothing ran there.')
}

/** Of two names the one with the longest call. @param {Sum | null} most @param {Sum} row */
const longer = (most, row) => (!most || BigInt(row.max ?? 0) > BigInt(most.max ?? 0) ? row : most)

/** Selects the longest call of a name, unless people selected something else meanwhile. @param {Session} session @param {string} name @param {import('./api.js').Params} where which times and rows @param {import('./session.js').Selection | null} before what was selected @returns {Promise<number | null>} of how many; null: people selected something else */
async function selectLongest(session, name, where, before) {
  const { count, outliers } = await session.ask('latency', { name, ...where, bins: 1 })
  if (session.selection.value !== before) return null
  if (!outliers.length) return 0
  await session.select({ kind: 'event', row: outliers[0].row }, { reveal: true })
  return count
}

/** Does so, and fits the window to it. @param {Session} session @param {string} name @param {import('./api.js').Params} where @param {import('./session.js').Selection | null} before */
export async function showLongest(session, name, where, before) {
  const count = await selectLongest(session, name, where, before),
    now = session.details.value
  if (count && now && now.end !== null) session.showSpan(BigInt(now.start), BigInt(now.end), 1)
  return count
}

/** Selects the longest call whose name, whole or short, has a text: of devices, where one of theirs has it. @param {Session} session @param {string} text */
export async function slowestOf(session, text) {
  const { t0, t1 } = session.rangeOf('selection') ?? session.window.value,
    before = session.selection.value,
    called = session.names.called.value,
    wanted = text.toLowerCase()
  for (const tracks of [workTracks(session), null]) {
    const { rows } = await session.ask('s', { t0, t1, tracks, by: 'name', n: 1000, percentiles: 1 })
    const longest = rows
      .filter(
        ({ name, max }) =>
          max !== null &&
          [name ?? '', called(name ?? '')].some(one => one.toLowerCase().includes(wanted)),
      )
      .reduce(longer, /** @type {Sum | null} */ (null))
    if (longest) return selectLongest(session, longest.name ?? '', { t0, t1, tracks }, before)
  }
  return say('No call there has a name with ' + text + '.')
}

/** Selects the time in which the device of the selected event was idle before it, and says why. @param {Session} session */
export function idleBefore(session) {
  const event = session.details.value,
    gaps = event ? gapsBefore(session, event) : []
  if (!event) return say('Select an event first.')
  if (!gaps.length)
    return say(
      session.model.deviceOf(event.track)
        ? 'Its device was not idle before it, as far as the file says.'
        : 'It ran on no device: of those alone is known when they were idle.',
    )
  const t0 = gaps[0].t0,
    t1 = gaps[gaps.length - 1].t1,
    away = BigInt(event.start) - t1
  // What ran longer between both than the device was idle is not what the event waited for.
  if (away > t1 - t0)
    return say(
      'Its device was at work right before it; it was idle last ' +
        durationText(away) +
        ' earlier, for ' +
        durationText(t1 - t0) +
        ': ' +
        causesOf(gaps) +
        '.',
    )
  session.select({ kind: 'area', t0, t1, tracks: [] })
  session.showSpan(t0, t1, 0.6)
  say('idle before it: ' + durationText(t1 - t0) + ', ' + causesOf(gaps))
}

/** The longest first: "not launched yet 900 us, from launch to start 27 us". @param {Gap[]} gaps */
export const causesOf = gaps =>
  [...gaps]
    .sort((a, b) => Number(b.t1 - b.t0 - (a.t1 - a.t0)))
    .map(gap => causeName(gap.cause) + ' ' + durationText(gap.t1 - gap.t0))
    .join(', ')

/** The gap right before an event, with those that it goes on from: each has a cause of its own. @param {Session} session @param {import('./session.js').EventDetails} event @returns {Gap[]} by time */
export function gapsBefore(session, event) {
  const path = session.model.pathOf(event.track).map(track => track.track),
    start = BigInt(event.start)
  const [last] = session.gaps.value
    .filter(gap => gap.track !== null && path.includes(gap.track) && gap.t1 <= start)
    .sort((a, b) => (a.t1 < b.t1 ? 1 : -1))
  return wholeGap(session, last)?.rows.filter(gap => gap.t1 <= start) ?? []
}

/** The gap that has this row, with those that go on from it: each row has a cause of its own.
 * @param {Session} session @param {Gap | undefined} gap */
export function wholeGap(session, gap) {
  if (!gap) return null
  const all = session.gapsByTrack.value.get(gap.track) ?? []
  let first = all.indexOf(gap),
    last = first
  while (first > 0 && all[first - 1].t1 === all[first].t0) first--
  while (last + 1 < all.length && all[last + 1].t0 === all[last].t1) last++
  const rows = all.slice(first, last + 1),
    why = rows.length > 1 ? causesOf(rows) : causeName(gap.cause)
  return { t0: all[first].t0, t1: all[last].t1, track: gap.track, rows, why }
}

/** Gaps of the scope, the longest first: those that lie in its times. @param {Session} session */
export function gapsIn(session) {
  const range = session.rangeOf(session.scope.value)
  return session.gaps.value.filter(gap => !range || (gap.t0 >= range.t0 && gap.t1 <= range.t1))
}

/** The gaps that a range of times consists of; none where something else lies in it. @param {Session} session @param {{t0: bigint, t1: bigint}} range @returns {Gap[]} */
export function gapsOf(session, { t0, t1 }) {
  const first = session.gaps.value.find(gap => gap.t0 === t0 && gap.t1 <= t1)
  const all = session.gaps.value.filter(
    gap => gap.track === first?.track && gap.t0 >= t0 && gap.t1 <= t1,
  )
  return all.reduce((sum, gap) => sum + gap.t1 - gap.t0, 0n) === t1 - t0 ? all : []
}

/** Goes along the track; ends of flows and facts are no rows that people see. @param {Session} session @param {{row: string}} event @param {string} step */
export async function near(session, event, step) {
  for (let at = /** @type {string | null} */ (event.row); at;) {
    /** @type {import('./answers.d.ts').Below['near']} */
    const { row } = await session.ask('near', { row: at, step, of: 'track' })
    const lane = session.model.lanes.get(Number(row?.split('.')[0]))
    if (row && lane && DRAWN.has(lane.type))
      return session.select({ kind: 'event', row }, { reveal: true })
    at = row
  }
}
