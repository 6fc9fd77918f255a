// SPDX-License-Identifier: Apache-2.0
// Pictures of lanes (docs/formats/view-api.md 2.1): fetched by tile, kept by lane. A tile that has not come
// is stood in for by a coarser one, and in the end by the picture of the whole profile. Of that the first answer is
// asked for at once, and lanes that it does not hold when they are first seen.
import { getBytes } from '../base/api.js'
import { signal } from '../lib/lit.js'

export const TILE = 2048n
const GROUP = 64, NONE = 0xffffffff, MOST_RECTS = 6_000_000

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
 */
/** @typedef {{picture: Picture, from: number, to: number, used: number}} Strip the rectangles of one lane in a picture */

/** @param {ArrayBuffer} bytes */
export function decode(bytes) {
  const head = new DataView(bytes)
  if (head.getUint32(0, true) !== 0x5756504e || head.getUint32(4, true) !== 1) throw new Error('This is no picture of version 1.')
  const lanes = head.getUint32(8, true), n = head.getUint32(12, true)
  let at = 40 + lanes * 16
  const column = () => {
    const values = new Uint32Array(bytes, at, n)
    at += n * 4
    return values
  }
  const [x0, x1, row, label, count, low, high] = Array.from({ length: 7 }, column)
  /** @type {Picture} */
  const picture = {
    t0: head.getBigInt64(16, true), p: head.getBigInt64(24, true), x0, x1, row, label, count, low, high,
    lowValue: new Float32Array(bytes, low.byteOffset, n), highValue: new Float32Array(bytes, high.byteOffset, n),
    fill: new Uint8Array(bytes, at, n),
  }
  /** @type {{lane: number, from: number, to: number}[]} */
  const parts = []
  for (let i = 0; i < lanes; i++) {
    const from = head.getUint32(44 + i * 16, true)
    parts.push({ lane: head.getUint32(40 + i * 16, true), from, to: from + head.getUint32(48 + i * 16, true) })
  }
  return { picture, parts, next: head.getUint32(32, true), rects: n }
}

/** Numbers as a list of ranges: 1,2,3,7 is "1-3,7". @param {number[]} numbers */
export function ranges(numbers) {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  /** @type {string[]} */
  const out = []
  for (let i = 0; i < sorted.length; ) {
    let j = i
    while (sorted[j + 1] === sorted[j] + 1) j++
    out.push(i === j ? String(sorted[i]) : sorted[i] + '-' + sorted[j])
    i = j + 1
  }
  return out.join(',')
}

/** @param {bigint} a @param {bigint} b rounded down */
export const floorDiv = (a, b) => (a >= 0n ? a / b : -((-a + b - 1n) / b))

export class Tiles {
  /** @param {string} base the routes of the profile, p/ID/GEN */
  constructor(base) {
    this.base = base
    /** @type {Map<string, Strip>} by "level/tile/lane" */
    this.strips = new Map()
    /** @type {Map<number, Strip>} by lane */
    this.whole = new Map()
    /** Lanes that were asked for in the picture of the whole; null: its first answer is under way. @type {Set<number> | null} */
    this.wholeAsked = null
    /** @type {Map<string, AbortController>} what is under way, by "level/tile" */
    this.asking = new Map()
    /** @type {Set<string>} */
    this.wanted = new Set()
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
    } catch { // tiles say what was wrong; the next time that they are seen they are asked for again
      rest.forEach(lane => asked?.delete(lane))
    }
  }

  /** What shows a lane best in a tile, exactly or in stead. @param {number} level @param {bigint} tile @param {number} lane @returns {Strip | null} */
  find(level, tile, lane) {
    for (let up = 0; up < 24; up++) {
      const strip = this.strips.get(level + up + '/' + (tile >> BigInt(up)) + '/' + lane)
      if (!strip) continue
      strip.used = this.clock
      return strip
    }
    return this.whole.get(lane) ?? null
  }

  /** Asks for what a window needs and has not; forgets requests that no window needs. @param {number} level @param {bigint[]} tiles @param {number[]} lanes */
  want(level, tiles, lanes) {
    this.clock++
    this.wanted = new Set(tiles.map(tile => level + '/' + tile))
    for (const [key, control] of this.asking) if (!this.wanted.has(key.slice(0, key.lastIndexOf('/')))) control.abort()
    for (const tile of tiles) {
      const missing = lanes.filter(lane => !this.strips.has(level + '/' + tile + '/' + lane))
      for (let i = 0; i < missing.length; i += GROUP) this.ask(level, tile, missing.slice(i, i + GROUP))
    }
    this.loadWhole(lanes)
    this.forget()
  }

  /** @param {number} level @param {bigint} tile @param {number[]} lanes */
  async ask(level, tile, lanes) {
    const key = level + '/' + tile + '/' + ranges(lanes)
    if (this.asking.has(key)) return
    const control = new AbortController()
    this.asking.set(key, control)
    this.pending.value = this.asking.size
    try {
      await this.fetch(level, tile, lanes, control.signal)
      this.error.value = null
    } catch (error) {
      if (!control.signal.aborted) this.error.value = /** @type {Error} */ (error)
    } finally {
      this.asking.delete(key)
      this.pending.value = this.asking.size
    }
  }

  /** @param {number} level @param {bigint} tile @param {number[]} lanes @param {AbortSignal} signal */
  async fetch(level, tile, lanes, signal) {
    let rest = lanes
    while (rest.length) {
      const began = performance.now()
      const bytes = await getBytes(this.base + '/v', { l: level, i: tile, lanes: ranges(rest) }, signal)
      this.lastMs.value = performance.now() - began
      const { picture, parts, next, rects } = decode(bytes)
      for (const { lane, from, to } of parts) this.strips.set(level + '/' + tile + '/' + lane, { picture, from, to, used: this.clock })
      this.rects += rects
      this.version.value++
      rest = next === NONE ? [] : rest.filter(lane => lane >= next)
    }
  }

  /** Lets go of the pictures that were not drawn for longest. */
  forget() {
    if (this.rects < MOST_RECTS) return
    const old = [...this.strips].sort((a, b) => a[1].used - b[1].used)
    for (const [key, strip] of old) {
      if (this.rects < MOST_RECTS / 2) break
      this.rects -= strip.to - strip.from
      this.strips.delete(key)
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
