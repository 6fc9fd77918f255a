// SPDX-License-Identifier: Apache-2.0
// Times, bytes, rates, shares and counts as people read them, by the rule of sdk/nprof/units.h:
// three significant digits and a unit. tests/units.json has the examples that both are held to.

/** Larger ones of a unit: [suffix, size]. @type {Record<string, [string, number][]>} */
const STEPS = {
  ps: [
    ['ps', 1],
    ['ns', 1e3],
    ['us', 1e6],
    ['ms', 1e9],
    ['s', 1e12],
  ],
  ns: [
    ['ns', 1],
    ['us', 1e3],
    ['ms', 1e6],
    ['s', 1e9],
  ],
  byte: [
    ['B', 1],
    ['KiB', 2 ** 10],
    ['MiB', 2 ** 20],
    ['GiB', 2 ** 30],
    ['TiB', 2 ** 40],
  ],
  'byte/s': [
    ['B/s', 1],
    ['kB/s', 1e3],
    ['MB/s', 1e6],
    ['GB/s', 1e9],
    ['TB/s', 1e12],
  ],
  flop: [
    ['FLOP', 1],
    ['kFLOP', 1e3],
    ['MFLOP', 1e6],
    ['GFLOP', 1e9],
    ['TFLOP', 1e12],
    ['PFLOP', 1e15],
  ],
  'flop/s': [
    ['FLOP/s', 1],
    ['kFLOP/s', 1e3],
    ['MFLOP/s', 1e6],
    ['GFLOP/s', 1e9],
    ['TFLOP/s', 1e12],
    ['PFLOP/s', 1e15],
  ],
  Hz: [
    ['Hz', 1],
    ['kHz', 1e3],
    ['MHz', 1e6],
    ['GHz', 1e9],
  ],
}

/** @param {string} digits */
const grouped = digits => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',')

/** Digits with the last k of them as decimals. @param {number} digits @param {number} k */
function decimal(digits, k) {
  const text = String(digits).padStart(k + 1, '0')
  return grouped(text.slice(0, text.length - k)) + (k ? '.' + text.slice(text.length - k) : '')
}

/** @param {number} value @param {number} size @param {number} k */
const rounded = (value, size, k) => Math.floor((value * 10 ** k) / size + 0.5)

/** A number above 0 as 1.23e-7. @param {number} x */
function powerText(x) {
  let exponent = 2
  for (; x >= 999.5; x /= 10) exponent++
  for (; x < 99.95; x *= 10) exponent--
  return decimal(Math.floor(x + 0.5), 2) + 'e' + exponent
}

/** @param {number} value @param {number} size */
function threeText(value, size) {
  const x = value / size
  if (x >= 1e15 || x < 1e-4) return powerText(x)
  let k = 0
  while (k < 6 && rounded(value, size, k + 1) < 1000) k++
  return decimal(rounded(value, size, k), k)
}

/** A share, with its sign. @param {number} share */
function percentText(share) {
  const size = Math.abs(share),
    sign = share < 0 ? '-' : ''
  const tenths = Math.floor(size * 1000 + 0.5)
  if (size >= 1e12) return sign + powerText(100 * size)
  if (tenths >= 1 || !share) return (share ? sign : '') + decimal(tenths, 1)
  return share < 0 ? '>-0.1' : '<0.1'
}

/** @param {number} value @param {number} size */
function numberText(value, size) {
  const magnitude = Math.abs(value)
  const whole = size === 1 && Number.isInteger(magnitude) && magnitude < 1e15
  const text = whole || !magnitude ? grouped(String(magnitude)) : threeText(magnitude, size)
  return (value < 0 ? '-' : '') + text
}

/**
 * The number and the unit of a value in a unit that tables and facts state: "ps", "byte", "byte/s",
 * "flop", "flop/s", "Hz", "1" of shares, "" of counts; another one is kept. Whole numbers may come
 * as text or BigInt.
 * @param {number | string | bigint} value @param {string} unit @returns {[string, string]}
 */
export function figure(value, unit) {
  const steps = STEPS[unit],
    number = Number(value)
  const exact = typeof value !== 'number' && /^-?\d+$/.test(String(value))
  if (exact && !steps && unit !== '1') return [grouped(String(value)), unit]
  if (!Number.isFinite(number)) return [String(number), '']
  if (unit === '1') return [percentText(number), '%']
  if (!steps) return [numberText(number, 1), unit]
  const step =
    steps.find(([, size]) => rounded(Math.abs(number), size, 0) < 1000) ?? steps[steps.length - 1]
  return [numberText(number, step[1]), step[0]]
}

/** The same as one text. @param {number | string | bigint} value @param {string} unit */
export const figureText = (value, unit) => figure(value, unit).filter(Boolean).join(' ')

/** The size of the largest unit in which a value above 0 has a whole part: ticks are round in it.
 * @param {number} value @param {string} unit */
export const unitSize = (value, unit) =>
  (STEPS[unit] ?? []).reduce((size, [, one]) => (one <= value ? one : size), 1)
