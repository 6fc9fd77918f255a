// SPDX-License-Identifier: Apache-2.0
// Lanes as columns, one a pixel: how much of it is busy, and in which colour. A bar is columns that are full; what is
// narrower than two pixels is as high as it is busy, so that a lane which idles never looks like one that works.

/** Narrower bars are columns of their share, in pixels. */
const BAR = 2

/** How long the rows of a rectangle took, in 1/16 pixels: its ends are those of the 1/16 around it, half of one too far
 * each in the mean, and its fill is cut to whole 255ths. @param {import('./tiles.js').Picture} picture @param {number} i */
export function busyOf({ x0, x1, count, fill }, i) {
  const length = Math.max(0, x1[i] - x0[i] - 1)
  return count[i] === 1 || fill[i] === 255 ? length : (length * (fill[i] + 0.5)) / 255
}

/** What a column looks like: its colour, and whether it is what is not looked at, the last one of a
 * bar, or one of a bar, which has all of it. */
export const COLOUR = 0xff,
  FAINT = 0x100,
  SEAM = 0x200,
  FULL = 0x400

export class Columns {
  /** @param {number} width */
  constructor(width) {
    /** Share of the pixel that is busy where no bar has it; 0: nothing is there, also nothing that
     * is too short to measure. */
    this.busy = new Float32Array(width)
    /** The look of most of it, and how much more of that there is than of others. */
    this.look = new Uint16Array(width)
    this.lead = new Float32Array(width)
    this.hasShares = false
  }

  clear() {
    this.look.fill(0)
    if (!this.hasShares) return
    this.busy.fill(0)
    this.lead.fill(0)
    this.hasShares = false
  }

  /** Whether a rectangle is drawn as a bar with both its ends. @param {number} count @param {number} from @param {number} to */
  static isBar(count, from, to) {
    return count === 1 && to - from >= BAR
  }

  /** @param {number} from pixel, whole @param {number} to @param {number} look */
  addBar(from, to, look) {
    const full = look | FULL
    for (let x = from; x < to; x++) this.look[x] = full
    if (to - from > 2) this.look[to - 1] |= SEAM
  }

  /** Spreads busy pixels over those that a rectangle touches between two others. @param {number} start @param {number} end @param {number} busy @param {number} look @param {number} left @param {number} right */
  addShare(start, end, busy, look, left, right) {
    const last = Math.min(right, Math.max(end, start + 1e-3)),
      share = end > start ? busy / (end - start) : 0
    for (let x = Math.max(left, Math.floor(start)); x < last; x++)
      this.add(x, Math.max(1e-6, (Math.min(end, x + 1) - Math.max(start, x)) * share), look)
  }

  /** @param {number} x @param {number} share @param {number} look */
  add(x, share, look) {
    if (this.look[x] & FULL) return
    this.hasShares = true
    this.busy[x] = Math.min(1, this.busy[x] + share)
    if (this.look[x] === look) this.lead[x] += share
    else if (share > this.lead[x]) {
      this.look[x] = look
      this.lead[x] = share - this.lead[x]
    } else this.lead[x] -= share
  }
}
