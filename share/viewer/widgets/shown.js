// SPDX-License-Identifier: Apache-2.0
// What shows a part of a step: an idle gap of it, or the tab that has what ran.
import { say } from '../base/element.js'
import { gapsIn } from '../base/find.js'

/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {{session: Session, open: (id: string) => unknown}} Page */

/** @type {Record<string, string>} */
const TABS = {
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

/** A part of a step, of table verdict_parts: on which device, where most of it is, its causes where they are several, and whether it is of short gaps. @typedef {{part: string, device: string | null, place: string | null, causes?: string[], short?: boolean}} Part */

/** Selects a time that a device was idle, the longest of all where none is given, and shows it. @param {Session} session @param {import('../base/session.js').Gap} [gap] */
export function showGap(session, gap = session.gaps.value[0]) {
  if (!gap) return false
  session.select({ kind: 'area', t0: gap.t0, t1: gap.t1, tracks: [] })
  session.showSpan(gap.t0, gap.t1, 0.6)
  if (gap.track !== null) session.revealTrack(gap.track)
  return true
}

/** The gaps of a part on its device: the longest first; of short ones the middle first, which are typical. @param {Session} session @param {Part} part */
function gapsOfPart({ gaps, model }, { part, device, causes = [part], short = false }) {
  const own = gaps.value.filter(
      ({ track }) => !device || (track !== null && model.inTables(track).includes(device)),
    ),
    ofCauses = (/** @type {string[]} */ some) => own.filter(gap => some.includes(gap.cause)),
    // Input, allocations and the like are kinds of the host's.
    alike = [ofCauses(causes), ofCauses(['host']), own].find(some => some.length) ?? []
  if (!short) return alike
  const some = alike.filter(gap => gap.t1 - gap.t0 < LONG),
    away = (/** @type {number} */ i) => Math.abs(i - (some.length >> 1))
  return some
    .map((_gap, i) => i)
    .sort((a, b) => away(a) - away(b))
    .map(i => some[i])
}

/** The first gap of a part where the host was most at its place, by the whole name or the short one; of the first alone where there is none, or the page cannot ask. @param {Session} session @param {Part} part */
async function gapOfPart(session, part) {
  const all = gapsOfPart(session, part),
    some = part.place ? all.slice(0, MOST_ASKED) : []
  if (!some.length) return all[0]
  /** @type {{places: (string | null)[]}} */
  const { places } = await session
    .ask('places', { ranges: some.map(({ t0, t1 }) => t0 + '..' + t1).join(',') })
    .catch(() => ({ places: [] }))
  const at = places.findIndex(
    name => name !== null && [name, session.names.called.value(name)].includes(part.place ?? ''),
  )
  return all[Math.max(at, 0)]
}

/** The same of the scope. @param {Session} session */
export function showGapOfScope(session) {
  const [gap] = gapsIn(session)
  if (gap) showGap(session, gap)
  else say('No gap between work of a device lies there.')
}

/** @param {Page} page @param {Part} part */
export async function showPart(page, part) {
  const { session } = page
  if (TABS[part.part]) return page.open(TABS[part.part])
  const before = session.selection.value,
    gap = await gapOfPart(session, part)
  // Who selected something else meanwhile looks at that.
  if (session.selection.value !== before) return
  if (!gap) page.open('gaps')
  else showGap(session, gap)
}
