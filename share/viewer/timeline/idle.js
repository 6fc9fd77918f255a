// SPDX-License-Identifier: Apache-2.0
// How much of each pixel is busy or idle.

/** Runs of pixels of which spans fill more than half: work between many short gaps does not look like one long gap. @param {{a: number, b: number}[]} spans apart from each other, in pixels from 0 to width @param {number} width @returns {[number, number][]} from, to */
export function mostlyIn(spans, width) {
  const filled = new Float64Array(Math.ceil(width))
  for (const { a, b } of spans)
    for (let x = Math.floor(a); x < b; x++) filled[x] += Math.min(b, x + 1) - Math.max(a, x)
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

/** How busy each pixel is, 0 to 1: parts of the strip that begin within a pixel left seams between them. @param {number[]} busy in 255ths @param {number} left @param {number} step pixels of a part @param {number} width */
export function sharesOf(busy, left, step, width) {
  const shares = new Float64Array(Math.ceil(width))
  busy.forEach((value, i) => {
    const from = Math.max(0, left + i * step),
      to = Math.min(shares.length, left + (i + 1) * step)
    for (let x = Math.floor(from); x < to; x++)
      shares[x] += ((Math.min(to, x + 1) - Math.max(from, x)) * value) / 255
  })
  return shares
}
