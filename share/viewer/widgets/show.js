// SPDX-License-Identifier: Apache-2.0
// What Show of a finding selects: its own times, a gap of its part, or the longest of its calls. It
// says how far that goes, as most findings are of many rows.
import { say } from '../base/element.js'
import { deviceTracks, longestOf, showLongest } from '../base/find.js'
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
  const told = (/** @type {number} */ n, /** @type {string} */ what, rest = '') =>
    `selected: the longest of ${counted(n, 'call')} of ${what}${on ? ' on ' + on : ''}${rest}`
  const called = place ? await showLongest(session, place, where, before) : 0
  if (called === null) return ''
  if (called) return told(called, session.names.called.value(place ?? ''))
  const kinds = works.map(work => ({ work })),
    worked = kinds.length ? await longestOf(session, where, kinds, null) : 0
  if (worked === null) return ''
  if (worked) return told(worked, works.join(' and '), ', whatever ran beside it')
  return 'nothing is selected: no one row or time is what ' + rule + ' is of'
}
