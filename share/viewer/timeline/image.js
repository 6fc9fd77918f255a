// SPDX-License-Identifier: Apache-2.0
// Lanes as one image that lies over no other: a row of pixels of a lane is that above it and the columns that begin
// there, so that each is made once and copied, and 50,000 rectangles cost a few milliseconds without a GPU.
import { COLOUR, Columns, FAINT, FULL, SEAM } from './density.js'

/** How opaque is what is not looked at, or has no end. */
export const DIM = 0.25
const OPAQUE = 255 << 24,
  DIMMED = Math.round(DIM * 255) << 24

export class LaneImage {
  /** Of device pixels. @param {number} width @param {number} height */
  constructor(width, height) {
    this.width = width
    this.height = height
    this.image = new ImageData(width, height)
    this.pixels = new Uint32Array(this.image.data.buffer)
    /** Rows from here on are empty. */
    this.end = 0
    this.columns = new Columns(width)
    /** The row that is written, and what it is at the foot of the lane. */
    this.row = new Uint32Array(width)
    this.edge = new Uint32Array(width)
    /** Columns that begin lower: the first by its top, and behind each the next one. */
    this.first = new Int32Array(1)
    this.next = new Int32Array(width)
  }

  clear() {
    this.pixels.fill(0, 0, this.end * this.width)
    this.end = 0
  }

  /** Moves rows between two heights up by a number of pixels, or down; rows that come into sight are empty. @param {number} by @param {number} from @param {number} to */
  move(by, from, to) {
    const { pixels, width } = this,
      [a, b] = by > 0 ? [from, from + by] : [from - by, from]
    pixels.copyWithin(a * width, b * width, (to + Math.min(by, 0)) * width)
    pixels.fill(0, (by > 0 ? to - by : from) * width, (by > 0 ? to : from - by) * width)
    this.end = Math.max(this.end, to)
  }

  /** Puts it on a canvas of its size, in place of all that is there. @param {CanvasRenderingContext2D} context */
  putOn(context) {
    const { width, height, end } = this
    context.save()
    context.resetTransform()
    context.clearRect(0, end, width, height - end)
    context.restore()
    if (end) context.putImageData(this.image, 0, 0, 0, 0, width, end)
  }

  /** Writes the columns of a lane: each stands on the foot of its row, whose edge has the strong colour of its kind.
   * @param {import('./palette.js').Palette} palette @param {number} top @param {number} h @param {number} thin pixels of an edge @param {number} from nothing is written above @param {number} to nor from here on */
  write(palette, top, h, thin, from, to) {
    this.begin(palette, h, thin)
    const { row, edge, first, next, pixels, width } = this,
      { look } = this.columns,
      foot = h > 4 * thin ? h - thin : h
    for (let y = 0; y < h && top + y < to; y++) {
      for (let x = first[y]; x >= 0; x = next[x]) row[x] = pixelOf(palette, look[x])
      if (top + y >= from) pixels.set(y < foot ? row : edge, (top + y) * width)
    }
    this.end = Math.max(this.end, Math.min(top + h, to))
  }

  /** The first row of a lane, its edge, and where other columns begin. @param {import('./palette.js').Palette} palette @param {number} h @param {number} thin */
  begin(palette, h, thin) {
    const { columns, row, edge, next, width } = this,
      { busy, look } = columns,
      least = Math.min(h, 2 * thin)
    if (this.first.length < h) this.first = new Int32Array(h)
    this.first.fill(-1)
    let last = 0,
      inside = 0,
      below = 0 // what neighbours that look alike have, as those of a bar do
    for (let x = 0; x < width; x++) {
      const one = look[x]
      if (one & FULL) {
        if (one !== last) {
          last = one
          inside = pixelOf(palette, one)
          below = edgeOf(palette, one)
        }
        row[x] = inside
        edge[x] = below
        continue
      }
      row[x] = edge[x] = 0
      if (busy[x] <= 0) continue
      edge[x] = edgeOf(palette, one)
      const high = busy[x] < 1 ? Math.max(least, Math.round(h * busy[x])) : h
      if (high === h) row[x] = pixelOf(palette, one)
      else {
        next[x] = this.first[h - high]
        this.first[h - high] = x
      }
    }
  }
}

/** @param {number} look */
const opacityOf = look => (look & FAINT ? DIMMED : OPAQUE)

/** @param {import('./palette.js').Palette} palette @param {number} look */
const pixelOf = ({ pixel, seam }, look) =>
  (look & SEAM ? seam : pixel)[look & COLOUR] | opacityOf(look)

/** @param {import('./palette.js').Palette} palette @param {number} look */
const edgeOf = ({ edge }, look) => edge[look & COLOUR] | opacityOf(look)
