// SPDX-License-Identifier: Apache-2.0
// Long names where there is little room: kernels differ in their middle or at their end, so the parts between go, each
// by its own ellipsis, and what tells a name from the one that is most like it stays. The element around has class
// "ends", and the whole name as its title.
import { html } from '../lib/lit.js'

/** Letters: shorter names are whole; what stays at the end, and where two names begin to differ; so many of the beginning are seen anyway. */
const LONG = 20,
  TAIL = 10,
  KEY = 12,
  BEFORE = 3,
  SEEN = 14

/** How many letters two names have in common from their beginning. @param {string} a @param {string | undefined} b */
function common(a, b = '') {
  let n = 0
  while (n < a.length && a[n] === b[n]) n++
  return n
}

/** Where each name begins to differ from the one that is most like it: that stands beside it in their order. @param {string[]} names @returns {Map<string, number>} */
export function differingAt(names) {
  const sorted = [...new Set(names)].sort()
  return new Map(
    sorted.map((name, i) => [
      name,
      Math.max(common(name, sorted[i - 1]), common(name, sorted[i + 1])),
    ]),
  )
}

/** The parts of a name: every second one may go. @param {string} name @param {number} [at] where it differs from another @returns {string[]} */
export function partsOf(name, at = 0) {
  if (name.length < LONG) return ['', name]
  const tail = name.length - TAIL
  let key = at - BEFORE
  while (/\d/.test(name[key - 1] ?? '') && at - key < KEY - BEFORE) key-- // a number is whole
  return at < SEEN || key + KEY >= tail
    ? [name.slice(0, tail), name.slice(tail)]
    : [
        name.slice(0, key),
        name.slice(key, key + KEY),
        name.slice(key + KEY, tail),
        name.slice(tail),
      ]
}

/** The same where there is no element for parts, as in drawings and in lists of choices: so many letters at most. @param {string} name @param {number} letters @param {number} [at] where it differs from another */
export function shortOf(name, letters, at = 0) {
  if (name.length <= letters) return name
  const [front, key, between, tail = ''] = partsOf(name, at),
    rest = Math.max(0, letters - key.length - 2)
  if (between === undefined) {
    // Where names differ shortly before the tail, the end reaches back to there.
    const end =
        at < SEEN
          ? TAIL
          : Math.min(letters - 1 - BEFORE, Math.max(TAIL, name.length - at + BEFORE)),
      first = Math.min(letters - 1, Math.max(letters - end - 1, at < SEEN ? at + BEFORE : 0)),
      last = letters - 1 - first
    return name.slice(0, first) + '…' + (last ? name.slice(-last) : '')
  }
  const end = rest - BEFORE > tail.length ? tail : ''
  return front.slice(0, rest - end.length) + '…' + key.slice(0, letters - 2) + '…' + end
}

/** Names of a list, each with at most so many letters, so that what tells them apart stays. @param {string[]} names @param {number} letters @returns {Map<string, string>} */
export function shortNames(names, letters) {
  const differ = differingAt(names),
    short = new Map(names.map(name => [name, shortOf(name, letters, differ.get(name))]))
  /** @type {Map<string, string[]>} */
  const alike = new Map()
  for (const [name, text] of short) alike.set(text, [...(alike.get(text) ?? []), name])
  for (const [first, ...others] of alike.values()) {
    if (!others.length) continue
    // They differ at several places: what all of them begin with goes.
    const from = Math.min(...others.map(other => common(first, other)))
    for (const name of [first, ...others])
      short.set(name, '…' + shortOf(name.slice(from), letters - 1, (differ.get(name) ?? 0) - from))
  }
  return short
}

/** @param {string} name @param {number} [at] */
export const endsOf = (name, at) =>
  name.length < LONG
    ? name
    : partsOf(name, at).map((part, i) =>
        i % 2 ? html`<span>${part}</span>` : html`<span class="front">${part}</span>`,
      )
