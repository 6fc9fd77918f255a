// SPDX-License-Identifier: Apache-2.0
// How one sum of parts becomes another: a bar a part that differs, each from where the one before it ends, from the first sum to
// the second.

/** Parts of a step in ps, which add up to it. @typedef {{mean: bigint, parts: {part: string, time: bigint}[]}} Sum */
/** A change and where its bar lies; of a sum `part` is empty. @typedef {{part: string, by: bigint, from: bigint, to: bigint}} Change */

/** Time that no part has, as a part. */
export const OTHER = 'other'

/** @param {Sum} sum @returns {Map<string, bigint>} */
function partsOf({ mean, parts }) {
  const all = new Map(parts.map(({ part, time }) => [part, time])),
    rest = mean - parts.reduce((total, { time }) => total + time, 0n)
  return rest ? all.set(OTHER, rest) : all
}

/** @param {Sum} a @param {Sum} b @returns {Change[]} the parts that differ, in the order of `a`, then those that `b` alone has */
export function changesOf(a, b) {
  const old = partsOf(a),
    next = partsOf(b)
  let at = a.mean
  return [...new Set([...old.keys(), ...next.keys()])].flatMap(part => {
    const by = (next.get(part) ?? 0n) - (old.get(part) ?? 0n)
    if (!by) return []
    const from = at
    at += by
    return [{ part, by, from, to: at }]
  })
}

/** Where the axis begins: at 0, but where all happens far from it, so that the changes have most of the room. @param {Sum} a @param {Sum} b @param {Change[]} changes */
export function axisOf(a, b, changes) {
  const all = [a.mean, b.mean, ...changes.map(one => one.to)],
    least = all.reduce((x, y) => (x < y ? x : y)),
    most = all.reduce((x, y) => (x > y ? x : y)),
    range = most - least
  return { start: range && range * 4n < least ? least - range / 2n : 0n, end: most }
}
