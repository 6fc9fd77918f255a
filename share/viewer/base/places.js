// SPDX-License-Identifier: Apache-2.0
// Places in the source that the selected event names: its own line, and the frames of the stack that led there. People choose
// one of them; the choice is of that event alone.
import { setting } from './session.js'

/**
 * A line of a file; index: of the file among the sources of the profile, null: it is none.
 * @typedef {{text: string} & import('./answers.d.ts').Place} Place
 */

/**
 * @param {import('./answers.d.ts').Place} a
 * @param {import('./answers.d.ts').Place | null | undefined} b
 */
const isSame = (a, b) => a.file === b?.file && a.line === b?.line

/**
 * The stack of an event, some frames of which name no line; its own line is first where no frame
 * is the same.
 * @param {NonNullable<import('./answers.d.ts').EventDetails['source']>} source @returns {Place[]}
 */
export function framesOf({ stack, ...own }) {
  const text = own.file + (own.line ? ':' + own.line : '')
  return stack.some(one => isSame(one, own)) ? stack : [{ ...own, text }, ...stack]
}

/** @param {import('./session.js').Session} session @returns {Place[]} in the order of the stack */
export const placesOf = ({ details: { value: event } }) =>
  event?.source ? framesOf(event.source).filter(one => one.file) : []

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
