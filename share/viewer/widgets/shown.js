// SPDX-License-Identifier: Apache-2.0
// What shows a part of a step: its longest idle gap, or the tab that has what ran.
import { say } from '../base/element.js'
import { gapsIn } from '../base/find.js'

/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {{session: Session, open: (id: string) => void}} Page */

/** @type {Record<string, string>} */
const TABS = { compute: 'operators', opaque: 'operators', comm: 'collectives', copy: 'transfers' }

/** Selects the longest time that a device was idle, and shows it. @param {Session} session @param {import('../base/session.js').Gap} [gap] of a part of the run */
export function showLongestGap(session, gap = session.gaps.value[0]) {
  if (!gap) return false
  session.select({ kind: 'area', t0: gap.t0, t1: gap.t1, tracks: [] })
  session.showSpan(gap.t0, gap.t1, 0.6)
  return true
}

/** The same of the scope. @param {Session} session */
export function showGapOfScope(session) {
  const [gap] = gapsIn(session)
  if (gap) showLongestGap(session, gap)
  else say('No device was idle there.')
}

/** @param {Page} page @param {string} part of table verdict_parts */
export function showPart(page, part) {
  if (TABS[part]) page.open(TABS[part])
  else if (!showLongestGap(page.session)) page.open('gaps')
}
