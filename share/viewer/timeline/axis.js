// SPDX-License-Identifier: Apache-2.0
// What the heights of counters mean: each has an axis of its own, or all of one unit have one, so that rows can be held
// against each other. An axis has 0 in it, else small changes of large values would look large.
import { valueText } from '../base/values.js'
import { COUNTER } from './model.js'

/** `unit` is that of all rows of a common axis. @typedef {{low: number, high: number, unit: string, rows: number}} Axis of so many rows */
/** @typedef {{min: number, max: number}} Range */

/** @param {Range[]} counters @param {string} unit @returns {Axis} */
function axisFor(counters, unit) {
  const low = counters.reduce((least, { min }) => Math.min(least, min), 0),
    high = counters.reduce((most, { max }) => Math.max(most, max), 0)
  return { low, high: high > low ? high : low + 1, unit, rows: counters.length }
}

/** @param {import('./model.js').Model} model @param {import('./names.js').Names} names @param {number} track */
const unitOf = (model, names, track) =>
  names.unitOf(
    (model.lanesOf.get(track) ?? []).filter(lane => lane.type === COUNTER).map(lane => lane.label),
  )

/** The axis of each counter, by track: one for all of a unit. Of those whose unit is unknown, and of those that state several, none is like another.
 * @param {import('./model.js').Model} model @param {import('./names.js').Names | null} names null: each has its own, and no unit is asked for @returns {Map<number, Axis>} */
export function axesOf(model, names) {
  /** @type {Map<number, Axis>} */
  const axes = new Map()
  /** @type {Map<string, [number, Range][]>} */
  const alike = new Map()
  for (const { track, counter } of model.tracks.values()) {
    if (!counter) continue
    const unit = names && unitOf(model, names, track)
    if (unit === null) axes.set(track, axisFor([counter], ''))
    else if (!alike.get(unit)?.push([track, counter])) alike.set(unit, [[track, counter]])
  }
  for (const [unit, own] of alike) {
    const axis = axisFor(
      own.map(([, counter]) => counter),
      unit,
    )
    for (const [track] of own) axes.set(track, axis)
  }
  return axes
}

/** Such as "axis 0 to 2.00 MiB, of 4 rows". @param {Axis} axis @param {string} unit */
export const axisText = ({ low, high, rows }, unit) =>
  'axis ' +
  (low ? valueText(low, unit) : '0') +
  ' to ' +
  valueText(high, unit) +
  (rows > 1 ? ', of ' + rows + ' rows' : '')
