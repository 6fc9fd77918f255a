// SPDX-License-Identifier: Apache-2.0
// What the heights of counters mean: each has an axis of its own, or all of one unit have one, so that rows can be held
// against each other. An axis has 0 in it, else small changes of large values would look large.
import { valueText } from '../base/values.js'
import { COUNTER } from './model.js'

/** @typedef {{low: number, high: number, unit: string | null, rows: number}} Axis of so many rows */

/** @param {number} min @param {number} max @param {string | null} unit @param {number} rows @returns {Axis} */
function axisFor(min, max, unit, rows) {
  const low = Math.min(0, min), high = Math.max(0, max)
  return { low, high: high > low ? high : low + 1, unit, rows }
}

/** @param {import('./model.js').Model} model @param {import('./names.js').Names} names @param {import('./model.js').Track} track */
const unitOf = (model, names, { track }) => names.unitOf((model.lanesOf.get(track) ?? []).filter(lane => lane.type === COUNTER).map(lane => lane.label))

/** The axis of each counter, by track. Of those whose unit nobody knows, and of those that state several, none is like another.
 * @param {import('./model.js').Model} model @param {import('./names.js').Names} names @param {boolean} common @returns {Map<number, Axis>} */
export function axesOf(model, names, common) {
  const all = [...model.tracks.values()].flatMap(track => (track.counter ? [{ track: track.track, unit: unitOf(model, names, track), ...track.counter }] : []))
  return new Map(all.map(one => {
    const alike = common && one.unit !== null ? all.filter(other => other.unit === one.unit) : [one]
    return [one.track, axisFor(Math.min(...alike.map(other => other.min)), Math.max(...alike.map(other => other.max)), one.unit, alike.length)]
  }))
}

/** Such as "axis 0 to 2.1 MB, of 4 rows". @param {Axis} axis */
export const axisText = ({ low, high, unit, rows }) => 'axis ' + (low ? valueText(low, unit ?? '', 3) : '0') + ' to ' + valueText(high, unit ?? '', 3) + (rows > 1 ? ', of ' + rows + ' rows' : '')
