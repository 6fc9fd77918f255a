// SPDX-License-Identifier: Apache-2.0
// Pictures of lanes (docs/formats/view-api.md 2.1): fetched by tile, kept by lane. A tile that has not come
// is stood in for by a coarser one, and in the end by the picture of the whole profile. Of that the first answer is
// asked for at once, and lanes that it does not hold when they are first seen.
import { getBytes } from '../base/api.js'
import { isOneFile } from '../base/packed.js'
import { signal } from '../lib/lit.js'

export const TILE = 2048n
const GROUP = 64,
  PARTS = 256,
  NONE = 0xffffffff,
  MOST_RECTS = 6_000_000

/**
 * @typedef {object} Picture rectangles in columns
 * @property {bigint} t0
 * @property {bigint} p        ps a pixel
 * @property {Uint32Array} x0
 * @property {Uint32Array} x1
 * @property {Uint32Array} row
 * @property {Uint32Array} label
 * @property {Uint32Array} count
 * @property {Uint32Array} low
 * @property {Uint32Array} high
 * @property {Float32Array} lowValue
 * @property {Float32Array} highValue
 * @property {Uint8Array} fill
 * @property {Uint8Array | null} colour  of the palette, by what the row states; 255: it states none; null: nobody asked
 */
/** @typedef {{picture: Picture, from: number, to: number, used: number}} Strip the rectangles of one lane in a picture */

/** @param {ArrayBuffer} bytes @param {boolean} [coloured] it says colours of rows */
export function decode(bytes, coloured = false) {
  const head = new DataView(bytes)
  if (head.getUint32(0, true) !== 0x5756504e || head.getUint32(4, true) !== 1)
    throw new Error('This is no picture of version 1.')
  const lanes = head.getUint32(8, true),
    n = head.getUint32(12, true)
  let at = 40 + lanes * 16
  const column = () => {
    const values = new Uint32Array(bytes, at, n)
    at += n * 4
    return values
  }
  const [x0, x1, row, label, count, low, high] = Array.from({ length: 7 }, column)
  /** @type {Picture} */
  const picture = {
    t0: head.getBigInt64(16, true),
    p: head.getBigInt64(24, true),
    x0,
    x1,
    row,
    label,
    count,
    low,
    high,
    lowValue: new Float32Array(bytes, low.byteOffset, n),
    highValue: new Float32Array(bytes, high.byteOffset, n),
    fill: new Uint8Array(bytes, at, n),
    colour: coloured ? new Uint8Array(bytes, at + n, n) : null,
  }
  /** @type {{lane: number, from: number, to: number}[]} */
  const parts = []
  for (let i = 0; i < lanes; i++) {
    const from = head.getUint32(44 + i * 16, true)
    parts.push({
      lane: head.getUint32(40 + i * 16, true),
      from,
      to: from + head.getUint32(48 + i * 16, true),
    })
  }
  return { picture, parts, next: head.getUint32(32, true), rects: n }
}

/** Numbers as a list of ranges: 1,2,3,7 is "1-3,7". @param {number[]} numbers */
export function ranges(numbers) {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  /** @type {string[]} */
  const out = []
  for (let i = 0; i < sorted.length;) {
    let j = i
    while (sorted[j + 1] === sorted[j] + 1) j++
    out.push(i === j ? String(sorted[i]) : sorted[i] + '-' + sorted[j])
    i = j + 1
  }
  return out.join(',')
}

/** @param {bigint} a @param {bigint} b rounded down */
export const floorDiv = (a, b) => (a >= 0n ? a / b : -((-a + b - 1n) / b))

/** A lane, or its rows of a group, "by:lane@group". @typedef {number | string} Id */

/** The parameters that ask for rows of lanes by a group. @param {string[]} ids all by one thing */
function partsOf(ids) {
  const [by] = ids[0].split(':')
  return { by, of: ids.map(id => id.slice(by.length + 1)).join(',') }
}

/** In questions of as many as the server answers, parts of one lane together. @param {Id[]} ids @returns {Id[][]} */
function questions(ids) {
  const lanes = ids.filter(id => typeof id === 'number'),
    parts = [...new Set(ids.filter(id => typeof id === 'string'))]
  const laneOf = (/** @type {Id} */ id) => parseInt(String(id).split(':')[1])
  parts.sort((a, b) => laneOf(a) - laneOf(b))
  /** @type {Id[][]} */
  const out = []
  for (const [list, most] of /** @type {[Id[], number][]} */ ([
    [lanes, GROUP],
    [parts, PARTS],
  ]))
    for (let i = 0; i < list.length; i += most) out.push(list.slice(i, i + most))
  return out
}

export class Tiles {
  /** @param {string} base the routes of the profile, p/ID/GEN @param {{t0: bigint, t1: bigint}} [whole] of the profile */
  constructor(base, whole = { t0: 0n, t1: 1n }) {
    this.base = base
    /** Where tiles lie that cover the profile. */
    this.top = levelOf(whole.t1 - whole.t0, Number(TILE)) + 1
    this.topTiles = tilesOf(this.top, whole.t0, whole.t1)
    /** Parts of lanes whose picture of the whole was asked for. @type {Set<Id>} */
    this.topAsked = new Set()
    /** @type {Map<string, Map<Id, Strip>>} by "level/tile", then by lane */
    this.strips = new Map()
    /** @type {Map<number, Strip>} by lane */
    this.whole = new Map()
    /** Lanes that were asked for in the picture of the whole; null: its first answer is under way. @type {Set<number> | null} */
    this.wholeAsked = null
    /** What a page that is one file has no picture of: a coarser one is in its place. @type {Set<string>} */
    this.lacking = new Set()
    /** @type {Map<string, AbortController>} what is under way, by "level/tile" */
    this.asking = new Map()
    /** @type {Set<string>} */
    this.wanted = new Set()
    /** By what each bar is coloured, where rows of one name differ in it; empty: by their names. */
    this.colour = ''
    this.rects = 0
    this.clock = 0
    this.version = signal(0)
    this.pending = signal(0)
    this.lastMs = signal(0)
    /** @type {import('../lib/lit.js').Signal<Error | null>} */
    this.error = signal(/** @type {Error | null} */ (null))
  }

  /** Takes the beginning of the picture of the whole profile. @param {Promise<ArrayBuffer>} over */
  async loadFirst(over) {
    try {
      this.keepWhole(await over)
    } catch (error) {
      this.error.value = /** @type {Error} */ (error)
    }
    this.wholeAsked = new Set(this.whole.keys())
    this.version.value++
  }

  /** @param {ArrayBuffer} bytes @returns {number} the lane to go on with */
  keepWhole(bytes) {
    const { picture, parts, next, rects } = decode(bytes)
    for (const { lane, from, to } of parts) this.whole.set(lane, { picture, from, to, used: 0 })
    this.rects += rects
    return next
  }

  /** Pictures of another colouring are asked for anew. @param {string} mode */
  colourBy(mode) {
    if (mode === this.colour) return
    this.colour = mode
    for (const control of this.asking.values()) control.abort()
    for (const lanes of this.strips.values())
      for (const strip of lanes.values()) this.rects -= strip.to - strip.from
    this.strips.clear()
    this.topAsked.clear()
  }

  /** Fetches pictures of the whole of parts of lanes, which the store has none of. @param {Id[]} ids */
  loadTop(ids) {
    const rest = ids.filter(id => typeof id === 'string' && !this.topAsked.has(id))
    rest.forEach(id => this.topAsked.add(id))
    for (const tile of this.topTiles)
      for (const some of questions(rest))
        this.fetch(this.top, tile, some, new AbortController().signal).catch(() =>
          some.forEach(id => this.topAsked.delete(id)),
        )
  }

  /** Fetches more of it: lanes that came into sight. @param {number[]} lanes */
  async loadWhole(lanes) {
    const asked = this.wholeAsked
    let rest = asked ? lanes.filter(lane => !asked.has(lane)) : []
    rest.forEach(lane => asked?.add(lane))
    try {
      while (rest.length) {
        const next = this.keepWhole(await getBytes(this.base + '/over', { lanes: ranges(rest) }))
        this.version.value++
        rest = next === NONE ? [] : rest.filter(lane => lane >= next)
      }
    } catch {
      // tiles say what was wrong; the next time that they are seen they are asked for again
      rest.forEach(lane => asked?.delete(lane))
    }
  }

  /** Pictures of a tile, and those that stand in for it where it has none of a lane: coarser ones behind. @param {number} level @param {bigint} tile */
  standIns(level, tile) {
    const all = []
    for (let up = 0; up < 24; up++) {
      const lanes = this.strips.get(level + up + '/' + (tile >> BigInt(up)))
      if (lanes) all.push(lanes)
    }
    return all
  }

  /** What shows a lane best of these. @param {Map<Id, Strip>[]} pictures @param {Id} lane @returns {Strip | null} */
  find(pictures, lane) {
    for (const lanes of pictures) {
      const strip = lanes.get(lane)
      if (!strip) continue
      strip.used = this.clock
      return strip
    }
    return typeof lane === 'number' ? (this.whole.get(lane) ?? null) : null
  }

  /** Asks for what a window needs and has not; forgets requests that no window needs. @param {number} level @param {bigint[]} tiles @param {Id[]} lanes */
  want(level, tiles, lanes) {
    this.clock++
    this.wanted = new Set(tiles.map(tile => level + '/' + tile))
    for (const [key, control] of this.asking)
      if (!this.wanted.has(key.slice(0, key.lastIndexOf('/')))) control.abort()
    for (const tile of tiles) {
      const here = this.strips.get(level + '/' + tile)
      const missing = lanes.filter(lane => !here?.has(lane))
      for (const some of questions(missing)) this.ask(level, tile, some)
    }
    this.loadWhole(lanes.filter(lane => typeof lane === 'number'))
    this.loadTop(lanes)
    this.forget()
  }

  /** @param {number} level @param {bigint} tile @param {Id[]} lanes all of one kind */
  async ask(level, tile, lanes) {
    const key = level + '/' + tile + '/' + [this.colour, ...lanes].join()
    if (this.asking.has(key) || this.lacking.has(key)) return
    const control = new AbortController()
    this.asking.set(key, control)
    this.pending.value = this.asking.size
    try {
      await this.fetch(level, tile, lanes, control.signal)
      this.error.value = null
    } catch (error) {
      if (isOneFile) this.lacking.add(key)
      else if (!control.signal.aborted) this.error.value = /** @type {Error} */ (error)
    } finally {
      this.asking.delete(key)
      this.pending.value = this.asking.size
    }
  }

  /** @param {number} level @param {bigint} tile @param {Id[]} lanes all of one kind @param {AbortSignal} signal */
  async fetch(level, tile, lanes, signal) {
    let rest = lanes
    while (rest.length) {
      const began = performance.now()
      const parted = rest.filter(id => typeof id === 'string')
      const { colour } = this,
        coloured = colour ? { colour } : {}
      const bytes = await getBytes(
        this.base + '/v',
        {
          l: level,
          i: tile,
          ...coloured,
          ...(parted.length
            ? partsOf(parted)
            : { lanes: ranges(rest.filter(id => typeof id === 'number')) }),
        },
        signal,
      )
      this.lastMs.value = performance.now() - began
      if (colour !== this.colour) return
      const { picture, parts, next, rects } = decode(bytes, Boolean(colour))
      const key = level + '/' + tile,
        here = this.strips.get(key) ?? new Map()
      this.strips.set(key, here)
      parts.forEach(({ lane, from, to }, i) =>
        here.set(parted.length ? rest[i] : lane, { picture, from, to, used: this.clock }),
      )
      this.rects += rects
      this.version.value++
      rest =
        next === NONE
          ? []
          : parted.length
            ? rest.slice(next)
            : rest.filter(lane => Number(lane) >= next)
    }
  }

  /** Asks again for what could not be had: the next frame wants it. */
  again() {
    this.error.value = null
    this.version.value++
  }

  /** Lets go of the pictures that were not drawn for longest. */
  forget() {
    if (this.rects < MOST_RECTS) return
    const old = [...this.strips]
      .flatMap(([key, lanes]) => [...lanes].map(([lane, strip]) => ({ key, lanes, lane, strip })))
      .sort((a, b) => a.strip.used - b.strip.used)
    for (const { key, lanes, lane, strip } of old) {
      if (this.rects < MOST_RECTS / 2) break
      this.rects -= strip.to - strip.from
      lanes.delete(lane)
      if (!lanes.size) this.strips.delete(key)
    }
  }
}

/** The level of a zoom: a pixel of a tile is at most as long as a pixel of the screen. @param {bigint} length @param {number} pixels */
export function levelOf(length, pixels) {
  const perPixel = length / BigInt(Math.max(1, Math.round(pixels)))
  return perPixel < 1n ? 0 : perPixel.toString(2).length - 1
}

/** The tiles of a level that a window touches. @param {number} level @param {bigint} t0 @param {bigint} t1 */
export function tilesOf(level, t0, t1) {
  const size = TILE << BigInt(level)
  /** @type {bigint[]} */
  const tiles = []
  for (let tile = floorDiv(t0, size); tile * size < t1; tile++) tiles.push(tile)
  return tiles
}
