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

export class Columns {
  /** @param {number} width */
  constructor(width) {
    /** Share of the pixel that is busy; 0: nothing is there, also nothing that is too short to measure. */
    this.busy = new Float32Array(width)
    /** The colour of most of it, and how much more of that there is than of others. */
    this.colour = new Uint8Array(width)
    this.lead = new Float32Array(width)
    /** 1: what is not looked at. */
    this.faint = new Uint8Array(width)
    /** 1: the last column of a bar. */
    this.seam = new Uint8Array(width)
  }

  clear() {
    this.busy.fill(0)
    this.lead.fill(0)
    this.faint.fill(0)
    this.seam.fill(0)
  }

  /** Whether a rectangle is drawn as a bar with both its ends. @param {number} count @param {number} from @param {number} to */
  static isBar(count, from, to) {
    return count === 1 && to - from >= BAR
  }

  /** @param {number} from pixel, whole @param {number} to @param {number} colour @param {number} faint */
  addBar(from, to, colour, faint) {
    this.busy.fill(1, from, to)
    this.lead.fill(1, from, to)
    this.colour.fill(colour, from, to)
    this.faint.fill(faint, from, to)
    this.seam.fill(0, from, to)
    if (to - from > 2) this.seam[to - 1] = 1
  }

  /** Spreads busy pixels over those that a rectangle touches between two others. @param {number} start @param {number} end @param {number} busy @param {number} colour @param {number} faint @param {number} left @param {number} right */
  addShare(start, end, busy, colour, faint, left, right) {
    const last = Math.min(right, Math.max(end, start + 1e-3)),
      share = end > start ? busy / (end - start) : 0
    for (let x = Math.max(left, Math.floor(start)); x < last; x++)
      this.add(
        x,
        Math.max(1e-6, (Math.min(end, x + 1) - Math.max(start, x)) * share),
        colour,
        faint,
      )
  }

  /** @param {number} x @param {number} share @param {number} colour @param {number} faint */
  add(x, share, colour, faint) {
    this.busy[x] = Math.min(1, this.busy[x] + share)
    if (this.colour[x] === colour && this.faint[x] === faint) this.lead[x] += share
    else if (share > this.lead[x]) {
      this.colour[x] = colour
      this.faint[x] = faint
      this.lead[x] = share - this.lead[x]
    } else this.lead[x] -= share
  }
}
