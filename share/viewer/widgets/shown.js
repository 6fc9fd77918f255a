// SPDX-License-Identifier: Apache-2.0
// What shows a part of a step: an idle gap of it, or the tab that has what ran.
import { say } from '../base/element.js'
import { gapsIn, wholeGap } from '../base/find.js'
import { causeName, idleName } from '../base/step-parts.js'
import { counted } from '../base/values.js'

/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('../base/session.js').Gap} Gap */
/** @typedef {{session: Session, open: (id: string) => unknown}} Page */

/** @type {Record<string, string>} */
export const TABS = {
  compute: 'operators',
  control: 'operators',
  opaque: 'operators',
  comm: 'collectives',
  copy: 'transfers',
  lost: 'problems',
}

/** In ps: idle time of the host below it is short, as table verdict_parts has the word. */
const LONG = 1_000_000_000n

/** Gaps that are asked where the host was. */
const MOST_ASKED = 30

/** Causes of gaps; the other parts of idle time are kinds of the host's. */
const CAUSES = ['host', 'launch', 'wait', 'dma', 'collective', 'unlinked']

/** A part of a step, of table verdict_parts: on which device, where most of it is, its causes where they are several, whether it is of short gaps or of long ones, and the times in which it lies. @typedef {{part: string, device: string | null, place: string | null, causes?: string[], short?: boolean, range?: {t0: bigint, t1: bigint}}} Part */

/** Selects a time that a device was idle, the longest of all where none is given, and shows it.
 * @param {Session} session @param {{t0: bigint, t1: bigint, track: number | null} | null} [gap] */
export function showGap(session, gap = wholeGap(session, session.gaps.value[0])) {
  if (!gap) return false
  session.select({ kind: 'area', t0: gap.t0, t1: gap.t1, tracks: [] })
  session.showSpan(gap.t0, gap.t1, 0.6)
  if (gap.track !== null) session.revealTrack(gap.track)
  return true
}

/** The gaps of a part on its device: the longest first; of short ones the middle first, which are typical. @param {Session} session @param {Part} part */
function gapsOfPart({ gaps, model }, { part, device, causes = [part], short, range }) {
  const own = gaps.value.filter(
      ({ track, t0, t1 }) =>
        (!device || (track !== null && model.inTables(track).includes(device))) &&
        (!range || (t0 < range.t1 && range.t0 < t1)) &&
        (short === undefined || t1 - t0 < LONG === short),
    ),
    ofCauses = (/** @type {string[]} */ some) => own.filter(gap => some.includes(gap.cause)),
    ofOthers = causes.every(cause => CAUSES.includes(cause)) ? [] : ofCauses(['host'])
  const alike = [ofCauses(causes), ofOthers].find(some => some.length) ?? []
  if (!short) return alike
  const away = (/** @type {number} */ i) => Math.abs(i - (alike.length >> 1))
  return alike
    .map((_gap, i) => i)
    .sort((a, b) => away(a) - away(b))
    .map(i => alike[i])
}

/** Which of the first gaps is the first where the host was most at a place, by the whole name or the short one; -1: none, or the page cannot ask. @param {Session} session @param {Gap[]} gaps @param {string | null} place */
async function gapAtPlace(session, gaps, place) {
  const some = place ? gaps.slice(0, MOST_ASKED) : []
  if (!some.length) return -1
  /** @type {{places: (string | null)[]}} */
  const { places } = await session
    .ask('places', { ranges: some.map(({ t0, t1 }) => t0 + '..' + t1).join(',') })
    .catch(() => ({ places: [] }))
  return places.findIndex(
    name => name !== null && [name, session.names.called.value(name)].includes(place ?? ''),
  )
}

/** The same of the scope. @param {Session} session */
export function showGapOfScope(session) {
  const gap = wholeGap(session, gapsIn(session)[0])
  if (gap) showGap(session, gap)
  else say('No gap between work of a device lies there.')
}

/** @param {Page} page @param {Part} part */
export async function showPart(page, part) {
  const { session } = page
  if (TABS[part.part]) return page.open(TABS[part.part])
  const before = session.selection.value,
    gaps = gapsOfPart(session, part),
    at = await gapAtPlace(session, gaps, part.place),
    gap = gaps[Math.max(at, 0)]
  // Who selected something else meanwhile looks at that.
  if (session.selection.value !== before) return
  if (!gap) {
    page.open('gaps')
    return say('No gap is selected: none of ' + idleName(part.part) + ' has times of its own.')
  }
  showGap(session, gap)
  const which = gap === gaps[0] && !part.short ? 'the longest' : 'one',
    where = at < 0 ? '' : ', where the CPU was in ' + session.names.called.value(part.place ?? '')
  say(`selected: ${which} of ${counted(gaps.length, 'gap')}, ${causeName(gap.cause)}${where}`)
}
