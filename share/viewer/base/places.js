// SPDX-License-Identifier: Apache-2.0
// Places in the source that the selected event names: its own line, and the frames of the stack that led there. People choose
// one of them; the choice is of that event alone.
import { setting } from './session.js'

/** A line of a file; index: of the file among the sources of the profile, null: it is none. @typedef {{text: string, index: number | null, file: string, line: number | null}} Place */

/** @param {Place} a @param {Place} b */
const isSame = (a, b) => a.file === b.file && a.line === b.line

/** @param {import('./session.js').Session} session @returns {Place[]} in the order of the stack */
export function placesOf({ details: { value: event } }) {
  if (!event?.source) return []
  const { stack, ...own } = event.source,
    text = own.file + (own.line ? ':' + own.line : ''),
    frames = stack.filter((/** @type {Place} */ one) => one.line)
  return frames.some((/** @type {Place} */ one) => isSame(one, own))
    ? frames
    : [{ ...own, text }, ...frames]
}

/** The place that people chose, else the event's own line, by its number among them. @param {import('./session.js').Session} session */
export function chosenPlace(session) {
  const kept = setting(session, 'code.place', '')
  return {
    get value() {
      const places = placesOf(session),
        [row, number] = kept.value.split(' '),
        event = session.details.value
      const chosen = event && row === event.row && places[Number(number)] ? Number(number) : null
      const at = chosen ?? places.findIndex(one => isSame(one, event?.source))
      return places.length ? { ...places[at], at, chosen: chosen !== null } : null
    },
    /** @param {number | null} at null: the event's own line */
    choose(at) {
      kept.value = at === null ? '' : session.details.value?.row + ' ' + at
    },
  }
}
