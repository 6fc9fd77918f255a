// SPDX-License-Identifier: Apache-2.0
// Which kind of work a bar is, whose hue it has: of a device by the class of its work, of a host by what its category
// and its name say of who made it.

/** @type {Record<string, string>} */
const WORK = { compute: 'k', communication: 'c', memory: 'm', control: 'x', setup: 'x' }

/** Of rows that are no work: the first rule whose category or name fits. @type {[kind: string, category: RegExp, name: RegExp][]} */
const HOST = [
  ['a', /annotation/i, /^ProfilerStep#|^## .* ##$/],
  ['p', /python/i, /^\$|\.py(\(\d+\))?: /],
  ['r', /runtime|driver/i, /^(cuda|cu|hip|nrt_|Pjrt)[A-Z_]/],
]

/** @param {import('./names.js').Label} label @param {boolean} works its lane has work of a device */
export function kindOf(label, works) {
  if (works) return WORK[label[7] ?? ''] ?? 'a'
  return (
    HOST.find(([, category, name]) => category.test(label[1]) || name.test(label[0]))?.[0] ?? 'o'
  )
}
