// SPDX-License-Identifier: Apache-2.0
// How the values of tables and metrics are written. A null is unknown: never 0, never empty.
import { durationText } from './time.js'

/** @typedef {{value: number | string | null, unit: string, reason: string, source: string}} Metric */

const SCALES = ['', 'k', 'M', 'G', 'T', 'P', 'E']

/** @param {number} value @param {number} base */
function scaled(value, base) {
  let rank = 0
  let rest = Math.abs(value)
  while (rest >= base && rank < SCALES.length - 1) {
    rest /= base
    rank++
  }
  const digits = rest >= 100 || Number.isInteger(rest) ? 0 : rest >= 10 ? 1 : 2
  return (value < 0 ? '-' : '') + Number(rest.toFixed(digits)) + ' ' + SCALES[rank]
}

/** Percents are written to a tenth; what is less than that, and not 0, has its number on hover alone. */
const LEAST_PERCENT = 0.1

/** @param {number} value */
const isTiny = value => value !== 0 && Math.abs(value) * 100 < LEAST_PERCENT

/** A ratio as percents, all with one decimal, so that figures below each other have one form. @param {number} value */
export function percentText(value) {
  if (isTiny(value)) return value > 0 ? '< ' + LEAST_PERCENT + ' %' : '> -' + LEAST_PERCENT + ' %'
  return (value * 100).toFixed(1) + ' %'
}

/** The same for those who hover: what is too little for a tenth has its number. @param {number} value */
export const exactPercent = value => (isTiny(value) ? Number((value * 100).toPrecision(3)) + ' %' : percentText(value))

/** The number of a ratio whose text does not have it; '' of all others. @param {unknown} value @param {string} unit */
export const tinyText = (value, unit) => (unit === '1' && value !== null && isTiny(Number(value)) ? exactPercent(Number(value)) : '')

/** A number with commas; decimals to so many significant digits. @param {number | string} value @param {number} [digits] */
export function numberText(value, digits = 6) {
  const text = String(value)
  if (/^-?\d+$/.test(text)) return text.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
  const number = Number(value)
  if (!Number.isFinite(number)) return text
  return Math.abs(number) >= 1e6 ? number.toFixed(0).replace(/\B(?=(\d{3})+(?!\d))/g, ',') : String(Number(number.toPrecision(digits)))
}

/** A count with what is counted, which has an s where it is not one. @param {number | string} count @param {string} what */
export const counted = (count, what) => numberText(count) + ' ' + what + (Number(count) === 1 ? '' : 's')

/** A change of a ratio, with its sign. @param {number} value */
export const changeText = value => (value > 0 && !isTiny(value) ? '+' : '') + percentText(value).replace('< ', '< +')

/** The same for those who hover. @param {number} value */
export const exactChange = value => (value > 0 ? '+' : '') + exactPercent(value)

/** What tables name in their column device, as the timeline captions it: a number alone is that of a process. @param {string} name */
export const deviceText = name => (/^\d+$/.test(name) ? 'process ' + name : name)

/** What a profile was read from: the formats of its inputs. @param {{format: string, decoders?: string[]}} profile */
export const formatText = ({ format, decoders = [] }) => (decoders.length > 1 ? decoders.join(' + ') : format)

/** Devices of a profile, those of a type together. @param {{type: string, count: number}[]} devices */
export const devicesText = devices => devices.map(one => (one.type || 'device') + (one.count > 1 ? ' ×' + one.count : '')).join(', ')

/** @param {number} bytes */
export const bytesText = bytes => valueText(bytes, 'byte')

/**
 * Writes a value of a unit of the core ("ps", "1" for ratios, "byte", "flop/s", ...) for the eye.
 * @param {unknown} value @param {string} unit @param {number} [digits] of decimals without a unit that scales @param {boolean} [even] durations keep zeros at the end
 */
export function valueText(value, unit, digits = 6, even = false) {
  if (value === null || value === undefined) return 'unknown'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (unit === 'ps' || unit === 'ns') {
    const text = String(value)
    if (unit === 'ps' && /^-?\d+$/.test(text)) return durationText(BigInt(text), even)
    return numberText(text) + ' ' + unit
  }
  if (unit === '1' && Number.isFinite(Number(value))) return percentText(Number(value))
  if (/^(byte|flop)s?(\/s)?$/.test(unit) && Number.isFinite(Number(value))) {
    const short = unit.replace(/^bytes?/, 'B').replace(/^flops?/, 'flop')
    return scaled(Number(value), 1000) + short
  }
  if (typeof value === 'number' || /^-?\d+$/.test(String(value))) return numberText(/** @type {number | string} */ (value), digits) + (unit && unit !== '1' ? ' ' + unit : '')
  return String(value) + (unit && unit !== '1' ? ' ' + unit : '')
}

/** Why a value of a counter stands without a unit. */
export const NO_UNIT = 'unit unknown: the file states none'

/** A value of a counter with its unit, and what stands beside it: the number itself where that is written otherwise, or that
 * the unit is unknown (null). @param {number} value @param {string | null} unit @returns {[string, string]} */
export function countTexts(value, unit) {
  const exact = numberText(value), text = valueText(value, unit ?? '')
  return [text, unit === null ? NO_UNIT : text.startsWith(exact) ? '' : exact]
}

/** @param {Metric} metric @param {boolean} [even] keeps zeros at the end, so that figures beside each other have one form */
export const metricText = (metric, even = false) => (metric.source?.startsWith('at least') ? '≥ ' : '') + valueText(metric.value, metric.unit, undefined, even)
