// SPDX-License-Identifier: Apache-2.0
// What stands beside colour: lines and marks that say the same to who sees no colours. Idle time is //, communication
// \\, what is likely alone ∿, lost rows ××; what may be work or not is dotted.

/** @typedef {CanvasRenderingContext2D} Context */
/** What lies over bars: communication has lines from the left top to the right bottom, and likely names a wave at their foot. @typedef {'backslash' | 'wave'} Kind */

/** CSS pixels: lines are so far apart, and marks; so high is a wave, and so thick are lines. */
const APART = 6,
  TILE = 8,
  WAVE = 4,
  THICK = 1.25

/** What may be work or not: neither full, as work is, nor hatched, as idle time. @param {Context} context @param {number} x @param {number} y @param {number} w @param {number} h @param {string} colour */
export function dots(context, x, y, w, h, colour) {
  context.fillStyle = colour
  for (let row = 0; row * 3 < h; row++)
    for (let at = (row % 2) * 3; at < w; at += 6) context.fillRect(x + at, y + row * 3, 2, 2)
}

/** Draws lines within a rectangle. @param {Context} context @param {number} x @param {number} y @param {number} w @param {number} h @param {string} colour @param {() => void} draw moves and lines */
function within(context, x, y, w, h, colour, draw) {
  context.save()
  context.beginPath()
  context.rect(x, y, w, h)
  context.clip()
  context.strokeStyle = colour
  context.lineWidth = 1
  context.beginPath()
  draw()
  context.stroke()
  context.restore()
}

/** Diagonal lines: idle time. @param {Context} context @param {number} x @param {number} y @param {number} w @param {number} h @param {string} colour */
export function hatch(context, x, y, w, h, colour) {
  within(context, x, y, w, h, colour, () => {
    for (let at = Math.floor((x - h) / APART) * APART; at < x + w; at += APART) {
      context.moveTo(at, y + h)
      context.lineTo(at + h, y)
    }
  })
}

/** Crosses: rows that were lost. @param {Context} context @param {number} x @param {number} y @param {number} w @param {number} h @param {string} colour */
export function crosses(context, x, y, w, h, colour) {
  const rows = Math.max(1, Math.floor(h / TILE)),
    top = y + (h - rows * TILE) / 2
  within(context, x, y, w, h, colour, () => {
    for (let row = 0; row < rows; row++)
      for (let at = x; at < x + w; at += TILE)
        cross(context, at + 1.5, top + row * TILE + 1.5, TILE - 3)
  })
}

/** @param {Context} context @param {number} x @param {number} y @param {number} size */
function cross(context, x, y, size) {
  context.moveTo(x, y)
  context.lineTo(x + size, y + size)
  context.moveTo(x + size, y)
  context.lineTo(x, y + size)
}

/** Lines from the left top to the right bottom of a tile, and what of its neighbours reaches into it. @param {Context} context */
function backslash(context) {
  for (const at of [-TILE, 0, TILE]) {
    context.moveTo(at - 1, -1)
    context.lineTo(at + TILE + 1, TILE + 1)
  }
}

/** @param {Context} context */
function wave(context) {
  context.moveTo(0, WAVE / 2)
  context.bezierCurveTo(TILE / 4, -WAVE / 2, TILE / 4, -WAVE / 2, TILE / 2, WAVE / 2)
  context.bezierCurveTo(TILE * 0.75, WAVE * 1.5, TILE * 0.75, WAVE * 1.5, TILE, WAVE / 2)
}

/** A tile for each colour of the palette. @type {Map<string, CanvasPattern | null>} */
const tiles = new Map()

/** What a rectangle is filled with that has lines of a colour. @param {Context} context @param {Kind} kind @param {string} colour @param {number} scale device pixels for one CSS pixel */
function tileOf(context, kind, colour, scale) {
  const key = kind + colour + scale
  if (!tiles.has(key))
    tiles.set(
      key,
      makeTile(
        context,
        kind === 'wave' ? wave : backslash,
        kind === 'wave' ? WAVE : TILE,
        colour,
        scale,
      ),
    )
  return tiles.get(key) ?? 'transparent'
}

/** @param {Context} context @param {(context: Context) => void} draw @param {number} height @param {string} colour @param {number} scale */
function makeTile(context, draw, height, colour, scale) {
  const canvas = Object.assign(document.createElement('canvas'), {
      width: TILE * scale,
      height: height * scale,
    }),
    own = /** @type {Context} */ (canvas.getContext('2d'))
  own.scale(canvas.width / TILE, canvas.height / height)
  own.strokeStyle = colour
  own.lineWidth = THICK
  own.beginPath()
  draw(own)
  own.stroke()
  const tile = context.createPattern(canvas, 'repeat')
  tile?.setTransform(new DOMMatrix().scale(TILE / canvas.width, height / canvas.height))
  return tile
}

/** Bars with one pattern. @typedef {{kind: Kind, colour: string, alpha: number, shift: number, places: [number, number, number, number][]}} Alike */

/** Patterns of many bars: what is alike is filled at once, for one by one they would take longer than all else. */
export class Patterns {
  constructor() {
    /** @type {Map<string, Alike>} */
    this.all = new Map()
  }

  /** @param {Kind} kind @param {string} colour of the lines @param {number} alpha @param {number} x @param {number} y @param {number} w @param {number} h */
  add(kind, colour, alpha, x, y, w, h) {
    const top = kind === 'wave' ? y + h - WAVE - 1 : y,
      shift = kind === 'wave' ? top % WAVE : 0,
      key = [kind, colour, alpha, shift].join()
    const alike = this.all.get(key) ?? { kind, colour, alpha, shift, places: [] }
    this.all.set(key, alike)
    alike.places.push([x, top - shift, w, kind === 'wave' ? WAVE : h])
  }

  /** @param {Context} context @param {number} scale */
  draw(context, scale) {
    for (const { kind, colour, alpha, shift, places } of this.all.values()) {
      context.save()
      context.translate(0, shift)
      context.globalAlpha = alpha
      context.fillStyle = tileOf(context, kind, colour, scale)
      context.beginPath()
      for (const place of places) context.rect(...place)
      context.fill()
      context.restore()
    }
  }
}
