// SPDX-License-Identifier: Apache-2.0
// Times are picoseconds in BigInt. Here they are written and read; nothing is rounded but durations for the eye.
import { figureText } from './units.js'

/** @param {bigint} value @param {string} separator */
function grouped(value, separator) {
  return value.toString().replace(/\B(?=(\d{3})+(?!\d))/g, separator)
}

/** Exact nanoseconds, with picoseconds as decimals: 4225886874n is 4,225,886.874 @param {bigint} ps @param {string} [separator] */
export function nsText(ps, separator = ',') {
  const size = ps < 0n ? -ps : ps
  const rest = (size % 1000n).toString().padStart(3, '0').replace(/0+$/, '')
  return (ps < 0n ? '-' : '') + grouped(size / 1000n, separator) + (rest ? '.' + rest : '')
}

/** Reads nanoseconds as nsText writes them; null when the text is none. @param {string} text @returns {bigint | null} */
export function readNs(text) {
  const found = /^(-?)(\d[\d,]*)(?:\.(\d{1,3}))?$/.exec(text.trim())
  if (!found) return null
  const ps = BigInt(found[2].replaceAll(',', '')) * 1000n + BigInt((found[3] ?? '').padEnd(3, '0'))
  return found[1] ? -ps : ps
}

/** @type {[string, bigint][]} */
const UNITS = [
  ['s', 1000000000000n],
  ['ms', 1000000000n],
  ['us', 1000000n],
  ['ns', 1000n],
  ['ps', 1n],
]

/** The largest unit of which a time has one, its name and ps. @param {bigint} ps */
export const unitOf = ps => UNITS.find(([, one]) => one <= ps) ?? UNITS[UNITS.length - 1]

/** A time in a unit, with as many decimals as a round step of it has. @param {bigint} ps @param {[string, bigint]} unit @param {bigint} step 1, 2 or 5 times a power of ten */
export function inUnit(ps, [, one], step) {
  const size = ps < 0n ? -ps : ps,
    decimals = Math.max(0, one.toString().length - step.toString().length)
  const rest = (size % one)
    .toString()
    .padStart(one.toString().length - 1, '0')
    .slice(0, decimals)
  return (ps < 0n ? '-' : '') + grouped(size / one, ',') + (rest ? '.' + rest : '')
}

/** A duration as people read it. @param {bigint} ps */
export const durationText = ps => figureText(ps, 'ps')

/** Reads a time with a unit (5ms, 1.5us; ns without one); null when the text is none. @param {string} text */
export function readTime(text) {
  const found = /^(-?)(\d+)(?:\.(\d+))?\s*(ps|ns|us|µs|ms|s)?$/.exec(
    text.trim().replaceAll(',', ''),
  )
  if (!found) return null
  const one = UNITS.find(([unit]) => unit === (found[4] ?? 'ns').replace('µ', 'u'))?.[1] ?? 1000n
  const rest = (found[3] ?? '').padEnd(12, '0').slice(0, 12)
  const ps = BigInt(found[2]) * one + (BigInt(rest) * one) / 1000000000000n
  return found[1] ? -ps : ps
}

/** Reads "6000..6600" (ns), "5ms..6ms", and the same with a dash or a space between. @param {string} text @returns {{t0: bigint, t1: bigint} | null} */
export function readRange(text) {
  const ends = text.includes('..')
    ? text.split('..')
    : /^(-?[^\s-]+)(?:\s*-\s*|\s+)(-?[^\s-].*)$/.exec(text.trim())?.slice(1)
  if (ends?.length !== 2) return null
  const a = readTime(ends[0]),
    b = readTime(ends[1])
  return a !== null && b !== null && a < b ? { t0: a, t1: b } : null
}

/** A time for --from and --to of the command line. @param {bigint} ps */
export const optionTime = ps => nsText(ps, '') + 'ns'

/** Round distances for a ruler: 1, 2, 5 times a power of ten, at least atLeast. @param {bigint} atLeast */
export function roundStep(atLeast) {
  let step = 1n
  for (;;) {
    for (const factor of [1n, 2n, 5n]) if (step * factor >= atLeast) return step * factor
    step *= 10n
  }
}

/** @param {bigint} a @param {bigint} b */
export const least = (a, b) => (a < b ? a : b)
/** @param {bigint} a @param {bigint} b */
export const greatest = (a, b) => (a > b ? a : b)
