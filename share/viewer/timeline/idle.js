// SPDX-License-Identifier: Apache-2.0
// Which pixels of a heading are idle.

/** Runs of pixels of which spans fill more than half: work between many short gaps does not look like one long gap. @param {{a: number, b: number}[]} spans apart from each other, in pixels from 0 to width @param {number} width @returns {[number, number][]} from, to */
export function mostlyIn(spans, width) {
  const filled = new Float64Array(Math.ceil(width))
  for (const { a, b } of spans) for (let x = Math.floor(a); x < b; x++) filled[x] += Math.min(b, x + 1) - Math.max(a, x)
  /** @type {[number, number][]} */
  const runs = []
  filled.forEach((part, x) => {
    const last = runs.at(-1)
    if (part <= 0.5) return
    if (last?.[1] === x) last[1] = x + 1
    else runs.push([x, x + 1])
  })
  return runs
}
