// SPDX-License-Identifier: Apache-2.0
// Lanes as one image that lies over no other: a row of pixels of a lane is that above it and the columns that begin
// there, so that each is made once and copied: 50,000 rectangles cost a few milliseconds without
// a GPU. What lies behind the bars (ground.js) is in it as well.
import { COLOUR, Columns, FAINT, FULL, SEAM } from './density.js'

/** How opaque is what is not looked at, or has no end. */
export const DIM = 0.25
const OPAQUE = 255 << 24,
  DIMMED = Math.round(DIM * 255) << 24

/** Pixels of every look, in a lane and at its foot, as integers of 32 bits, which are never made
 * numbers of 64; nothing is there of those that no bar has. */
class Looks {
  /** @param {import('./palette.js').Palette} palette */
  constructor(palette) {
    this.palette = palette
    this.inside = new Int32Array(2 * FULL)
    this.foot = new Int32Array(2 * FULL)
    for (let look = FULL; look < 2 * FULL; look++) {
      const opacity = look & FAINT ? DIMMED : OPAQUE,
        { pixel, seam, edge } = palette
      this.inside[look] = (look & SEAM ? seam : pixel)[look & COLOUR] | opacity
      this.foot[look] = edge[look & COLOUR] | opacity
    }
  }
}

export class LaneImage {
  /** Of device pixels. @param {number} width @param {number} height */
  constructor(width, height) {
    this.width = width
    this.height = height
    this.image = new ImageData(width, height)
    this.pixels = new Int32Array(this.image.data.buffer)
    this.columns = new Columns(width)
    /** @type {Looks | null} */
    this.looks = null
    /** The row that is written, and what it is at the foot of the lane. */
    this.row = new Int32Array(width)
    this.edge = new Int32Array(width)
    /** Columns that begin lower: the first by its top, and behind each the next one. */
    this.first = new Int32Array(1)
    this.next = new Int32Array(width)
  }

  /** Moves rows between two heights up by a number of pixels, or down; those that come into sight are to be filled. @param {number} by @param {number} from @param {number} to */
  move(by, from, to) {
    const { pixels, width } = this,
      [a, b] = by > 0 ? [from, from + by] : [from - by, from]
    pixels.copyWithin(a * width, b * width, (to + Math.min(by, 0)) * width)
  }

  /** Writes one row of pixels over all between two heights.
   * @param {Int32Array} row @param {number} from @param {number} to */
  fill(row, from, to) {
    for (let y = Math.max(0, from); y < Math.min(to, this.height); y++)
      this.pixels.set(row, y * this.width)
  }

  /** Puts it on a canvas of its size, in place of all that is there. @param {CanvasRenderingContext2D} context */
  putOn(context) {
    context.putImageData(this.image, 0, 0)
  }

  /** Writes the columns of a lane: each stands on the foot of its row, whose edge has the strong colour of its kind.
   * @param {import('./palette.js').Palette} palette @param {Int32Array} ground what is seen where no bar is @param {number} top @param {number} h @param {number} thin pixels of an edge @param {number} from nothing is written above @param {number} to nor from here on */
  write(palette, ground, top, h, thin, from, to) {
    if (this.looks?.palette !== palette) this.looks = new Looks(palette)
    const { row, edge, next, pixels, width, columns } = this,
      { inside, foot } = this.looks,
      { look } = columns,
      bottom = h > 4 * thin ? h - thin : h
    for (let x = 0; x < width; x++) {
      const one = look[x]
      row[x] = inside[one] || ground[x]
      edge[x] = foot[one] || ground[x]
    }
    if (columns.hasShares) this.placeShares(this.looks, h, thin)
    for (let y = 0; y < h && top + y < to; y++) {
      if (columns.hasShares)
        for (let x = this.first[y]; x >= 0; x = next[x]) row[x] = inside[look[x] | FULL]
      if (top + y >= from) pixels.set(y < bottom ? row : edge, (top + y) * width)
    }
  }

  /** Finds where columns begin that are as high as they are busy, and writes those that fill the lane. @param {Looks} looks @param {number} h @param {number} thin */
  placeShares({ inside, foot }, h, thin) {
    const { columns, row, edge, next, width } = this,
      { busy, look } = columns,
      least = Math.min(h, 2 * thin)
    if (this.first.length < h) this.first = new Int32Array(h)
    this.first.fill(-1)
    for (let x = 0; x < width; x++) {
      if (busy[x] <= 0 || look[x] & FULL) continue
      edge[x] = foot[look[x] | FULL]
      const high = busy[x] < 1 ? Math.max(least, Math.round(h * busy[x])) : h
      if (high === h) row[x] = inside[look[x] | FULL]
      else {
        next[x] = this.first[h - high]
        this.first[h - high] = x
      }
    }
  }
}
