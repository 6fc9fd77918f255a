// SPDX-License-Identifier: Apache-2.0
// What lies over the bars and changes often: cursor, selection, arrows, markers, the critical path.
import { durationText, nsText } from '../base/time.js'
import { CSS } from './colours.js'
import { paintMarkers } from './markers.js'
import { themeNow } from './theme.js'

/** Place in the palette, and pixels of a flag. */
const OUTLIER = 5,
  FLAG = 8

/** @typedef {import('./timeline.js').Timeline} Timeline */
/** @typedef {import('./paint.js').Theme} Theme */

/** Whether anything lies there: an empty canvas that is cleared at each frame costs as much as a
 * full one. @param {Timeline} timeline */
export function hasOverlay({ session, band }) {
  const { overlays, critical, criticalOfRun, outliers } = session
  return Boolean(
    band ||
    session.selection.value ||
    session.details.value ||
    session.pointer.value !== null ||
    session.outlined.value.length ||
    session.markers.value.length ||
    critical.value.length ||
    (overlays.hits.value === 'yes' && session.hits.value?.hits?.length) ||
    (overlays.outliers.value === 'yes' && outliers.value?.length) ||
    (overlays.critical.value === 'yes' && criticalOfRun.value?.length),
  )
}

/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context */
export function paintOverlay(timeline, context) {
  const theme = themeNow()
  context.font = '11px system-ui, sans-serif'
  context.textBaseline = 'middle'
  paintSelection(timeline, context, theme)
  paintOutlined(timeline, context, theme)
  paintHits(timeline, context, theme)
  paintOutliers(timeline, context)
  paintCritical(timeline, context)
  paintArrows(timeline, context, theme)
  paintMarkers(timeline, context, theme)
  paintBand(timeline, context, theme)
  paintCursor(timeline, context, theme)
}

/** Of an area the rows that it is of are shaded. @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {bigint} t0 @param {bigint} t1 @param {string} colour @param {string} text @param {Theme} theme @param {{y: number, h: number}[]} [places] */
function paintRange(
  timeline,
  context,
  t0,
  t1,
  colour,
  text,
  theme,
  places = [{ y: 0, h: timeline.height }],
) {
  const a = timeline.xOf(t0),
    b = timeline.xOf(t1)
  context.fillStyle = colour
  context.globalAlpha = 0.1
  for (const { y, h } of places) context.fillRect(a, y, b - a, h)
  context.globalAlpha = 1
  context.fillRect(Math.round(a), 0, 1, timeline.height)
  context.fillRect(Math.round(b), 0, 1, timeline.height)
  // Beside the range: within it idle time has its own.
  const width = context.measureText(text).width,
    x = Math.max(2, Math.min(timeline.width - width - 10, b + 8))
  context.fillStyle = theme.background
  context.fillRect(x - 4, 2, width + 8, 16)
  context.fillStyle = theme.text
  context.fillText(text, x, 10)
}

/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {Theme} theme */
function paintSelection(timeline, context, theme) {
  const { selection, details, model } = timeline.session
  const now = selection.value
  if (now?.kind === 'area' && (now.t0 > model.start || now.t1 < model.end))
    paintRange(
      timeline,
      context,
      now.t0,
      now.t1,
      theme.accent,
      durationText(now.t1 - now.t0),
      theme,
      now.tracks.length ? timeline.placesOf(now) : undefined,
    )
  if (now?.kind === 'step')
    paintRange(timeline, context, now.t0, now.t1, theme.accent, 'step ' + now.step, theme)
  const event = details.value
  if (!event) return
  outline(timeline, context, event, theme.text, 2)
}

/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {{row: string, lane: number, track: number, start: string, end: string | null}} event @param {string} colour @param {number} width */
function outline(timeline, context, event, colour, width) {
  const place = timeline.placeOf(event.row, event.track)
  if (place) outlineAt(timeline, context, place, event, colour, width)
}

/** @typedef {{start: string | bigint, end: string | bigint | null}} Times */
/** Where the outline of an event begins, and how wide it is, in pixels. @param {Timeline} timeline @param {Times} event @returns {[number, number]} */
function outlineOf(timeline, event) {
  const a = Math.max(-4, timeline.xOf(BigInt(event.start))),
    b = timeline.xOf(event.end === null ? timeline.session.model.end : BigInt(event.end))
  return [a - 0.5, Math.max(3, Math.min(timeline.width + 8, b) - a + 1)]
}

/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {{y: number, h: number}} place @param {Times} event @param {string} colour @param {number} width */
function outlineAt(timeline, context, place, event, colour, width) {
  const [x, w] = outlineOf(timeline, event)
  context.strokeStyle = colour
  context.lineWidth = width
  context.strokeRect(x, place.y - 0.5, w, place.h)
}

/** @typedef {{row: string, track: number, start: string, duration: string | null}} Hit */
/** @param {Hit} hit */
const eventOf = hit => ({
  row: hit.row,
  lane: Number(hit.row.split('.')[0]),
  track: hit.track,
  start: BigInt(hit.start),
  end: hit.duration === null ? null : BigInt(hit.start) + BigInt(hit.duration),
})

/** Events of an answer, which are read once and drawn at each frame. @type {WeakMap<Hit[], ReturnType<typeof eventOf>[]>} */
const read = new WeakMap()

/** @param {Hit[]} hits */
function eventsOf(hits) {
  const events = read.get(hits) ?? hits.map(eventOf)
  read.set(hits, events)
  return events
}

/** Where events are drawn: the lane, or the part of it that has the rows of a group; in a row that hides them, that row. @param {Timeline} timeline @param {boolean} hidden whether such rows count */
function placesOf(timeline, hidden) {
  const { rows, pinned } = timeline.placedRows(),
    { session } = timeline
  /** @type {Map<import('./tiles.js').Id, {y: number, h: number} | null>} */
  const places = new Map(timeline.lanesOf([...rows, ...pinned]).map(one => [one.lane.id, one]))
  return (/** @type {ReturnType<typeof eventOf>} */ event) => {
    const part = session.partOf(event.row),
      place = places.get(event.lane) ?? places.get(part)
    if (place !== undefined || !hidden) return place
    places.set(part, timeline.placeOf(event.row, event.track)) // rows are many, and lanes few
    return places.get(part)
  }
}

/** Runs what draws the events in sight, with their place. @param {Timeline} timeline @param {Hit[]} hits @param {(event: ReturnType<typeof eventOf>, place: {y: number, h: number}) => void} run @param {boolean} [hidden] whether rows that hide them count */
function eachInSight(timeline, hits, run, hidden = false) {
  const { t0, t1 } = timeline.session.window.value,
    placeOf = placesOf(timeline, hidden)
  for (const event of eventsOf(hits)) {
    if (event.start > t1 || (event.end !== null && event.end < t0)) continue // without an end it is drawn to that of the run
    const place = placeOf(event)
    if (place) run(event, place)
  }
}

/** Outlines events, all at once; of those that fall on the same pixels the first. @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {Hit[]} hits @param {string} colour @param {boolean} hidden */
function outlineAll(timeline, context, hits, colour, hidden) {
  /** @type {Map<object, [number, number]>} */
  const last = new Map()
  context.strokeStyle = colour
  context.lineWidth = 1.5
  context.beginPath()
  eachInSight(
    timeline,
    hits,
    (event, place) => {
      const [x, w] = outlineOf(timeline, event),
        before = last.get(place)
      if (before && x - before[0] < 1 && Math.abs(x + w - before[0] - before[1]) < 1) return
      last.set(place, [x, w])
      context.rect(x, place.y - 0.5, w, place.h)
    },
    hidden,
  )
  context.stroke()
}

/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {Theme} theme */
function paintOutlined(timeline, context, theme) {
  outlineAll(timeline, context, timeline.session.outlined.value, theme.accent, true)
}

/** Hits that have come. @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {Theme} theme */
function paintHits(timeline, context, theme) {
  const { hits, overlays } = timeline.session
  if (overlays.hits.value === 'yes')
    outlineAll(timeline, context, hits.value?.hits ?? [], theme.accent, false)
}

/** Each has a frame, and a flag at its start, so that nothing needs colour. @param {Timeline} timeline @param {CanvasRenderingContext2D} context */
function paintOutliers(timeline, context) {
  const { outliers, overlays } = timeline.session
  if (overlays.outliers.value !== 'yes') return
  eachInSight(timeline, outliers.value ?? [], (event, place) => {
    const x = timeline.xOf(event.start)
    outlineAt(timeline, context, place, event, CSS[OUTLIER], 1.5)
    context.fillStyle = CSS[OUTLIER]
    context.beginPath()
    context.moveTo(x, place.y)
    context.lineTo(x + FLAG, place.y)
    context.lineTo(x, place.y + FLAG)
    context.fill()
  })
}

/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context */
function paintCritical(timeline, context) {
  const { critical, criticalOfRun, overlays, model } = timeline.session,
    ofRun = overlays.critical.value === 'yes' ? (criticalOfRun.value ?? []) : []
  context.fillStyle = CSS[5]
  for (const segment of [...critical.value, ...ofRun]) {
    if (segment.row === null) continue // a wait, or work that is in no row
    const lane = Number(segment.row.split('.')[0]),
      track = model.lanes.get(lane)?.track
    const a = timeline.xOf(segment.start),
      b = timeline.xOf(segment.end)
    if (b <= 0 || a >= timeline.width) continue
    const place = track === undefined ? null : timeline.placeOf(segment.row, track)
    if (place) context.fillRect(a, place.y + place.h - 4, Math.max(1, b - a), 3)
  }
}

/** From the end of what an event depends on to its start. @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {Theme} theme */
function paintArrows(timeline, context, theme) {
  const event = timeline.session.details.value
  if (!event || timeline.session.overlays.arrows.value !== 'yes') return
  const me = {
    start: BigInt(event.start),
    end: BigInt(event.end ?? event.start),
    row: event.row,
    track: event.track,
  }
  const other = (/** @type {import('../base/answers.d.ts').Link} */ link) => ({
    start: BigInt(link.start),
    end: BigInt(link.start) + BigInt(link.duration ?? 0),
    row: link.row,
    track: link.track,
  })
  for (const link of event.depends)
    arrow(timeline, context, other(link), me, theme.text, link.family === 'parent')
  for (const link of event.needed)
    arrow(timeline, context, me, other(link), theme.accent, link.family === 'parent')
}

/** @typedef {{start: bigint, end: bigint, row: string, track: number}} End */
/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {End} from @param {End} to @param {string} colour @param {boolean} dashed */
function arrow(timeline, context, from, to, colour, dashed) {
  const a = timeline.placeOf(from.row, from.track),
    b = timeline.placeOf(to.row, to.track)
  if (!a || !b) return
  const x0 = timeline.xOf(from.end <= to.start ? from.end : from.start),
    x1 = timeline.xOf(to.start)
  if ((x0 < -100 && x1 < -100) || (x0 > timeline.width + 100 && x1 > timeline.width + 100)) return
  const y0 = a.y + a.h / 2,
    y1 = b.y + b.h / 2,
    bend = Math.max(16, Math.min(60, Math.abs(x1 - x0) / 2))
  context.strokeStyle = colour
  context.fillStyle = colour
  context.lineWidth = 1.25
  context.setLineDash(dashed ? [4, 3] : [])
  context.beginPath()
  context.moveTo(x0, y0)
  context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 3, y1)
  context.stroke()
  context.setLineDash([])
  context.beginPath()
  context.moveTo(x1, y1)
  context.lineTo(x1 - 7, y1 - 3.5)
  context.lineTo(x1 - 7, y1 + 3.5)
  context.fill()
}

/** What a drag covers. @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {Theme} theme */
function paintBand(timeline, context, theme) {
  const band = timeline.band
  if (!band) return
  const a = timeline.xOf(band.t0),
    b = timeline.xOf(band.t1)
  const top = band.zoom ? 0 : Math.min(band.y0, band.y1),
    h = band.zoom ? timeline.height : Math.abs(band.y1 - band.y0)
  context.fillStyle = theme.accent
  context.globalAlpha = 0.16
  context.fillRect(a, top, b - a, h)
  context.globalAlpha = 1
  context.strokeStyle = theme.accent
  context.lineWidth = 1
  context.strokeRect(a, top + 0.5, b - a, h - 1)
  const text = (band.zoom ? 'zoom to ' : 'select ') + durationText(band.t1 - band.t0)
  context.fillStyle = theme.background
  context.fillRect(
    (a + b) / 2 - context.measureText(text).width / 2 - 4,
    top + 4,
    context.measureText(text).width + 8,
    16,
  )
  context.fillStyle = theme.text
  context.fillText(text, (a + b) / 2 - context.measureText(text).width / 2, top + 12)
}

/** @param {Timeline} timeline @param {CanvasRenderingContext2D} context @param {Theme} theme */
function paintCursor(timeline, context, theme) {
  const t = timeline.session.pointer.value
  if (t === null || timeline.band) return
  const x = Math.round(timeline.xOf(t))
  context.fillStyle = theme.faint
  context.globalAlpha = 0.6
  context.fillRect(x, 0, 1, timeline.height)
  context.globalAlpha = 1
  const text = nsText(t - timeline.session.zero.value.t) + ' ns',
    width = context.measureText(text).width + 8
  const left = x + width + 4 > timeline.width ? x - width - 3 : x + 3
  context.fillStyle = theme.background
  context.fillRect(left, 1, width, 15)
  context.fillStyle = theme.faint
  context.fillText(text, left + 4, 9)
}
