// SPDX-License-Identifier: Apache-2.0
// Markers over the rows: a line and a flag each, and regions with their length.
import { comparedOf } from '../base/markers.js'
import { durationText } from '../base/time.js'
import { CSS, INK, PALETTE } from './colours.js'

/** @typedef {import('./timeline.js').Timeline} Timeline */
/** @typedef {import('./paint.js').Theme} Theme */

/** Pixels: names of markers are so high; so far above the foot regions say their length, and compared ones above each other. */
const MARKS = PALETTE.length,
  FLAG = 17,
  REGION = 28,
  LINE = 18

/** Shades what lies between two times, as wide as it is in sight; gives where that is. @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {bigint} t0 @param {bigint} t1 @param {string} colour @returns {[number, number] | null} */
function shade(timeline, context, t0, t1, colour) {
  const a = Math.max(0, timeline.xOf(t0)),
    b = Math.min(timeline.width, timeline.xOf(t1))
  if (b <= a) return null
  context.globalAlpha = 0.12
  context.fillStyle = colour
  context.fillRect(a, 0, b - a, timeline.height)
  context.globalAlpha = 1
  return [a, b]
}

/** The length of a region, over a line from end to end. @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {[number, number]} ends @param {string} text @param {number} y @param {Theme} theme */
function measure(timeline, context, [a, b], text, y, theme) {
  const width = context.measureText(text).width + 8,
    x = Math.max(0, Math.min(timeline.width - width, (a + b - width) / 2))
  context.fillStyle = theme.text
  context.fillRect(a, y, b - a, 1)
  context.fillStyle = theme.background
  context.fillRect(x, y - 8, width, 16)
  context.fillStyle = theme.text
  context.fillText(text, x + 4, y)
}

/** Regions: ranges of markers, and what lies between markers that are compared. Many ranges beside each other say their length where it has room. @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {Theme} theme */
function paintRegions(timeline, context, theme) {
  const markers = timeline.session.markers.value,
    above = Number(markers.some(one => one.range !== null))
  for (const { t, range, color } of markers) {
    if (range === null) continue
    const ends = shade(timeline, context, t, range, CSS[color % MARKS]),
      text = durationText(range - t)
    if (ends && ends[1] - ends[0] > context.measureText(text).width + 16)
      measure(timeline, context, ends, text, timeline.height - REGION, theme)
  }
  comparedOf(markers).forEach(({ id, t0, t1 }, i) => {
    const ends = shade(
      timeline,
      context,
      t0,
      t1,
      CSS[(markers.find(one => one.id === id)?.color ?? 0) % MARKS],
    )
    if (ends)
      measure(
        timeline,
        context,
        ends,
        durationText(t1 - t0),
        timeline.height - REGION - (i + above) * LINE,
        theme,
      )
  })
}

/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {Theme} theme */
export function paintMarkers(timeline, context, theme) {
  paintRegions(timeline, context, theme)
  for (const marker of timeline.session.markers.value) {
    const x = timeline.xOf(marker.t),
      colour = CSS[marker.color % MARKS]
    if (x < -200 || x > timeline.width + 10) continue
    const width = context.measureText(marker.name).width + 10
    context.fillStyle = colour
    context.fillRect(Math.round(x) - 0.5, 0, 1.5, timeline.height)
    context.fillRect(x, timeline.height - FLAG, width, FLAG)
    context.fillStyle = INK[marker.color % MARKS]
    context.fillText(marker.name, x + 5, timeline.height - 8)
  }
}
