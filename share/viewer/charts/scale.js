// SPDX-License-Identifier: Apache-2.0
// Scales of charts: from values to pixels, linear or logarithmic, with round ticks.

import { svg } from '../lib/lit.js'
import { shortNames } from '../base/ends.js'

/** Pixels of a letter below a chart. */
const LETTER = 6.4

/** Names of groups below their first bar, each as far as the next one begins; those that have no room show where they differ. @param {{name: string, x: number}[]} groups @param {number} end of the last @param {number} y */
export const groupNames = (groups, end, y) =>
  groups.map(({ name, x }, i) => {
    const letters = Math.max(
        4,
        Math.floor(((groups[i + 1]?.x ?? Math.max(end, x + name.length * LETTER)) - x) / LETTER) -
          1,
      ),
      short =
        shortNames(
          groups.map(one => one.name),
          letters,
        ).get(name) ?? name
    return svg`<text class="device" x=${x} y=${y}>${short === name ? '' : svg`<title>${name}</title>`}${short}</text>`
  })

/**
 * @typedef {{of: (value: number) => number, ticks: number[]}} Scale
 */

/** Lines across a chart at the ticks of its height, with what each is. @param {Scale} y
 * @param {number} left @param {number} right @param {(tick: number) => string} text */
export const gridLines = (y, left, right, text) =>
  y.ticks.map(
    tick =>
      svg`<line class="grid-line" x1=${left} x2=${right} y1=${y.of(tick)} y2=${y.of(tick)}></line>
        <text x=${left - 5} y=${y.of(tick) + 4} text-anchor="end">${text(tick)}</text>`,
  )

/** Ticks of a scale at most, and pixels that each has at least, where its text has a line. */
const TICKS = 5,
  LINE = 16

/** `unit` is the size of that in which ticks are round. @param {number} low @param {number} high
 * @param {number} from @param {number} to @param {number} [unit] @returns {Scale} */
export function linear(low, high, from, to, unit = 1) {
  const span = high - low || 1
  const most = Math.max(1, Math.min(TICKS, Math.floor(Math.abs(to - from) / LINE))),
    raw = span / most / unit,
    power = 10 ** Math.floor(Math.log10(raw))
  const step = ([1, 2, 5, 10].map(one => one * power).find(one => one >= raw) ?? raw) * unit
  /** @type {number[]} */
  const ticks = []
  for (let tick = Math.ceil(low / step) * step; tick <= high + step / 1e6; tick += step)
    ticks.push(tick)
  return { of: value => from + ((value - low) / span) * (to - from), ticks }
}

/** Powers of ten as ticks. @param {number} low above 0 @param {number} high @param {number} from @param {number} to @returns {Scale} */
export function logarithmic(low, high, from, to) {
  const a = Math.floor(Math.log10(low)),
    b = Math.max(a + 1, Math.ceil(Math.log10(high)))
  const ticks = Array.from({ length: b - a + 1 }, (_, i) => 10 ** (a + i))
  return {
    of: value => from + ((Math.log10(Math.max(value, 10 ** a)) - a) / (b - a)) * (to - from),
    ticks,
  }
}
