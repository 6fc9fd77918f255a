// SPDX-License-Identifier: Apache-2.0
// What lies behind the bars of a row of the tree: the time before and after the run, starts of
// steps, grid lines, and the shade of heads. It is the same at each height of the row but the
// lowest, so that one row of pixels is made of each kind.
import { NEAR } from './overview.js'
import { ruleOf } from './ruler.js'

/** How much of the colour of lines each has. */
const OUTSIDE = 0.35,
  LINE = 0.5,
  HEAD = 0.22

/** The pixels of a row, and those of the line at its foot.
 * @typedef {{inside: Int32Array, foot: Int32Array}} RowGround */

/** @param {number} pixel @param {number} share how opaque it is */
const opaque = (pixel, share) => pixel | (Math.round(share * 255) << 24)

export class Ground {
  /** @param {import('./paint.js').Scene} scene
   * @param {import('../base/session.js').Session} session @param {number} width device pixels */
  constructor(scene, session, width) {
    const { t0, t1, theme, scale } = scene,
      { model, zero, overlays, starts } = session,
      perPixel = Number(t1 - t0) / scene.width
    const xOf = (/** @type {bigint} */ t) => Math.round(Number(t - t0) / perPixel)
    this.scale = scale
    this.width = width
    this.theme = theme
    this.model = model
    /** Where the run begins and ends. */
    this.run = [model.start, model.end].map(t => Math.round((Number(t - t0) / perPixel) * scale))
    this.ticks = ruleOf(t0, t1, scene.width, zero.value.t).ticks.map(({ t }) => xOf(t))
    /** Starts of steps by the track that they are of: those of eight devices in one place would
     * be of none. Where they are too near to each other none is drawn. @type {[number | null, number[]][]} */
    this.steps = []
    if (overlays.steps.value === 'yes')
      for (const [track, all] of starts.value) {
        const seen = all.filter(t => t >= t0 && t <= t1)
        if (seen.length * NEAR <= scene.width) this.steps.push([track, seen.map(xOf)])
      }
    /** By what differs, and by row. @type {Map<string | import('./model.js').Node, RowGround>} */
    this.made = new Map()
    /** Of what is below the last row. */
    this.plain = this.pixelsOf([], 0)
  }

  /** @param {import('./rows.js').Row} row @returns {RowGround} */
  of({ node }) {
    const made = this.made.get(node) ?? this.make(node)
    this.made.set(node, made)
    return made
  }

  /** Rows that look alike have the same pixels.
   * @param {import('./model.js').Node} node @returns {RowGround} */
  make(node) {
    const steps = this.steps.filter(
        ([track]) => track === null || isBelow(this.model, node, track),
      ),
      isHead = node.children.length > 0,
      key = [isHead, ...steps.map(([track]) => track)].join()
    const known = this.made.get(key)
    if (known) return known
    const xs = steps.flatMap(([, xs]) => xs),
      made = {
        inside: this.pixelsOf(xs, isHead ? HEAD : 0),
        foot: this.pixelsOf(xs, LINE),
      }
    this.made.set(key, made)
    return made
  }

  /** @param {number[]} steps @param {number} base share of the line where nothing else is */
  pixelsOf(steps, base) {
    const { theme, run, width, scale } = this,
      pixels = new Int32Array(width),
      thin = Math.max(1, Math.round(scale))
    const line = (/** @type {number} */ share) => opaque(theme.linePixel, share)
    if (base) pixels.fill(line(base))
    for (const [xs, pixel] of /** @type {[number[], number][]} */ ([
      [this.ticks, line(LINE)],
      [steps, opaque(theme.accentPixel, LINE)],
    ]))
      for (const x of xs) {
        const from = Math.round(x * scale)
        if (from >= 0) pixels.fill(pixel, from, from + thin)
      }
    pixels.fill(line(OUTSIDE), 0, Math.max(0, run[0]))
    pixels.fill(line(OUTSIDE), Math.max(0, run[1]))
    return pixels
  }
}

/** Whether a row is of a track or of what lies below it; a heading that a grouping made is, where
 * all below it are. @param {import('./model.js').Model} model
 * @param {import('./model.js').Node} node @param {number} track @returns {boolean} */
function isBelow(model, node, track) {
  if (node.track) return model.pathOf(node.track.track).some(one => one.track === track)
  return node.children.length > 0 && node.children.every(child => isBelow(model, child, track))
}
