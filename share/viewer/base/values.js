// SPDX-License-Identifier: Apache-2.0
// How the values of tables and metrics are written. A null is unknown: never 0, never empty.
import { figureText } from './units.js'

/** @typedef {import('./answers.d.ts').Metric} Metric */

/** Percents are written to a tenth; what is less than that, and not 0, has its number on hover alone. */
const LEAST_PERCENT = 0.1

/** @param {number} value */
const isTiny = value => value !== 0 && Math.abs(value) * 100 < LEAST_PERCENT

/** A ratio as percents, all with one decimal, so that figures below each other have one form.
 * @param {number} value */
export const percentText = value => figureText(value, '1')

/** The same for those who hover: what is too little for a tenth has its number. @param {number} value */
export const exactPercent = value =>
  isTiny(value) ? Number((value * 100).toPrecision(3)) + ' %' : percentText(value)

/** The number of a ratio whose text does not have it; '' of all others. @param {unknown} value @param {string} unit */
export const tinyText = (value, unit) =>
  unit === '1' && value !== null && isTiny(Number(value)) ? exactPercent(Number(value)) : ''

/** A count, exact, or three digits of a number that is not whole. @param {number | string} value */
export const numberText = value => figureText(value, '')

/** A sentence whose figures keep their units on their line. @param {string} text */
export const unbroken = text =>
  text.replace(
    /(\d) (?=(?:%|[pnum]?s|min|h|[kKMGTP]?i?B(?:\/s)?|[kMGTP]?flop(?:\/s)?)(?![\w%]))/g,
    '$1\u00a0',
  )

/** @param {string} text */
export const capital = text => text.replace(/^./, letter => letter.toUpperCase())

/** A count with what is counted, which has an s where it is not one. @param {number | string} count @param {string} what */
export const counted = (count, what) =>
  numberText(count) + ' ' + what + (Number(count) === 1 ? '' : 's')

/** A change of a ratio, with its sign. @param {number} value */
export const changeText = value =>
  (value > 0 && !isTiny(value) ? '+' : '') + percentText(value).replace('<', '<+')

/** The same for those who hover. @param {number} value */
export const exactChange = value => (value > 0 ? '+' : '') + exactPercent(value)

/** What tables name in their column device, as the timeline captions it: a number alone is that of a process. @param {string} name */
export const deviceText = name => (/^\d+$/.test(name) ? 'process ' + name : name)

/** What a profile was read from: the formats of its inputs. @param {{format: string, decoders?: string[]}} profile */
export const formatText = ({ format, decoders = [] }) =>
  decoders.length > 1 ? decoders.join(' + ') : format

/** Devices of a profile, those of a type together. @param {{type: string, count: number}[]} devices */
export const devicesText = devices =>
  devices.map(one => (one.type || 'device') + (one.count > 1 ? ' ×' + one.count : '')).join(', ')

/**
 * Where a table has a column; -1: nowhere.
 * @param {{name: string}[]} columns @param {string} name
 */
export const columnAt = (columns, name) => columns.findIndex(one => one.name === name)

/**
 * A cell of a column of texts; null: it is unknown.
 * @param {import('./answers.d.ts').Cell | undefined} cell
 */
export const cellText = cell => (cell === null || cell === undefined ? null : String(cell))

/** The same of a column of numbers. @param {import('./answers.d.ts').Cell} cell */
export const cellNumber = cell => (cell === null ? null : Number(cell))

/** @param {number} bytes */
export const bytesText = bytes => valueText(bytes, 'byte')

/** Writes a value of a unit of the core ("ps", "1" for ratios, "byte", "flop/s", ...) for the eye;
 * files spell some of them in the plural. @param {unknown} value @param {string} unit */
export function valueText(value, unit) {
  if (value === null || value === undefined) return 'unknown'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = String(value)
  if (text === '' || !Number.isFinite(Number(text)))
    return text + (unit && unit !== '1' ? ' ' + unit : '')
  return figureText(typeof value === 'number' ? value : text, unit.replace(/^(byte|flop)s/, '$1'))
}

/** Why a value of a counter stands without a unit. */
export const NO_UNIT = 'unit unknown: the file states none'

/** A value of a counter with its unit, and what stands beside it: the number itself where that is written otherwise, or that
 * the unit is unknown (null). @param {number} value @param {string | null} unit @returns {[string, string]} */
export function countTexts(value, unit) {
  const exact = Number.isInteger(value) ? numberText(value) : String(value)
  const text = valueText(value, unit ?? '')
  return [text, unit === null ? NO_UNIT : text.startsWith(exact) ? '' : exact]
}

/** A value with what its source says of it: "at least" is a bound. @param {Metric} metric */
export const metricText = metric =>
  (metric.source?.startsWith('at least') ? '≥ ' : '') + valueText(metric.value, metric.unit)
