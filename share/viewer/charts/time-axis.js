// SPDX-License-Identifier: Apache-2.0
// The time axis of charts: the window of the timeline, below its lanes pixel for pixel where they
// stand above the chart.
import { signal } from '../lib/lit.js'
import { linear } from './scale.js'

/** Pixels beside a chart that has no lanes above it: of the texts at its left, and at its right. */
const LEFT = 70,
  RIGHT = 12

/** Pixels of a tick's text. */
const TICK = 90

/** @typedef {import('../widgets/dock.js').Page} Page */
/** Pixels from the left of a widget. @typedef {{left: number, right: number, width: number}} Edges */

/** @param {HTMLElement} element @param {Page} page @returns {Edges} */
function edgesOf(element, page) {
  const own = element.getBoundingClientRect(),
    lanes = page.timeline()?.over.getBoundingClientRect(),
    isBelow = lanes?.width && lanes.left >= own.left && lanes.right <= own.right
  return isBelow
    ? { left: lanes.left - own.left, right: lanes.right - own.left, width: own.width }
    : { left: LEFT, right: Math.max(own.width - RIGHT, LEFT + TICK), width: own.width }
}

/**
 * Where a chart of this widget has its edges, as they change.
 * @param {HTMLElement} element @param {Page} page
 */
export function timeEdges(element, page) {
  const edges = signal(edgesOf(element, page)),
    look = () => {
      const now = edgesOf(element, page)
      if (now.width && String(Object.values(now)) !== String(Object.values(edges.peek())))
        edges.value = now
    },
    watch = new ResizeObserver(look)
  watch.observe(element)
  const lanes = page.timeline()?.over
  if (lanes) watch.observe(lanes)
  return { edges, dispose: () => watch.disconnect() }
}

/**
 * Times to pixels; times count from the zero of the ruler.
 * @param {import('../base/session.js').Session} session @param {Edges} edges
 */
export function timeScale(session, { left, right }) {
  const { t0, t1 } = session.window.value,
    zero = session.zero.value.t
  const x = linear(Number(t0 - zero), Number(t1 - zero), left, right)
  return {
    of: (/** @type {bigint} */ t) => x.of(Number(t - zero)),
    /** @param {number} px */
    at: px => t0 + BigInt(Math.round(((px - left) / (right - left)) * Number(t1 - t0))),
    ticks: x.ticks.map(tick => zero + BigInt(Math.round(tick))),
  }
}
