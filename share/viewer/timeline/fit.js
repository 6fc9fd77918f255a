// SPDX-License-Identifier: Apache-2.0
// What of a text is written where it has little room: on bars and on frames of the flame graph.

export const LABEL_FONT = '11px system-ui, sans-serif'

/** Fewer letters of a longer text tell nothing. */
const LEAST_LETTERS = 3

/** Texts that fit in a width, by label and width: measuring is what costs. @type {Map<string, string>} */
const fitted = new Map()

/** The text, its beginning, or nothing. @param {{measureText: (text: string) => {width: number}}} context of LABEL_FONT @param {string} text @param {number} width */
export function fit(context, text, width) {
  const key = Math.floor(width / 4) + ' ' + text
  const known = fitted.get(key)
  if (known !== undefined) return known
  const whole = context.measureText(text.slice(0, 400)).width
  const room = Math.floor(width / 4) * 4
  const shortened = (/** @type {number} */ letters) => text.slice(0, Math.max(1, letters)) + '…'
  let letters = Math.floor((Math.min(text.length, 400) * (room - 8)) / whole)
  while (whole > room && letters > 1 && context.measureText(shortened(letters)).width > room) letters-- // its first letters may be wide ones
  const cut = whole <= room ? text : letters < LEAST_LETTERS ? '' : shortened(letters)
  if (fitted.size > 20000) fitted.clear()
  fitted.set(key, cut)
  return cut
}
