// SPDX-License-Identifier: Apache-2.0
// What of a text is written where it has little room: on bars and on frames of the flame graph.

export const LABEL_FONT = '11px system-ui, sans-serif'

/** Fewer letters and digits of a longer text tell nothing, whatever signs are with them; from so many on some are of its end, where names of operators differ. */
const LEAST_LETTERS = 3,
  BOTH_ENDS = 6,
  END = 0.4

/** So many letters of a text, from its beginning and its end. @param {string} text @param {number} letters */
function shortened(text, letters) {
  const end = letters < BOTH_ENDS ? 0 : Math.floor(letters * END)
  return text.slice(0, Math.max(1, letters - end)) + '…' + (end ? text.slice(-end) : '')
}

/** Whether what is left of a text has letters enough. @param {string} text */
const tells = text => (text.match(/[\p{L}\p{N}]/gu) ?? []).length >= LEAST_LETTERS

/** Texts that fit in a width, by label and width: measuring is what costs. @type {Map<string, string>} */
const fitted = new Map()

/** The text, its ends, or nothing. @param {{measureText: (text: string) => {width: number}}} context of LABEL_FONT @param {string} text @param {number} width */
export function fit(context, text, width) {
  const key = Math.floor(width / 4) + ' ' + text
  const known = fitted.get(key)
  if (known !== undefined) return known
  const whole = context.measureText(text.slice(0, 400)).width
  const room = Math.floor(width / 4) * 4
  let letters = Math.floor((Math.min(text.length, 400) * (room - 8)) / whole)
  while (whole > room && letters > 1 && context.measureText(shortened(text, letters)).width > room)
    letters-- // its first letters may be wide ones
  const cut = whole <= room ? text : tells(shortened(text, letters)) ? shortened(text, letters) : ''
  if (fitted.size > 20000) fitted.clear()
  fitted.set(key, cut)
  return cut
}
