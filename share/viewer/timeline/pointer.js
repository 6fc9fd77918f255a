// SPDX-License-Identifier: Apache-2.0
// Mouse, wheel and fingers on the lanes and on the ruler.
import { nsText } from '../base/time.js'
import { SPAN } from './model.js'
import { ranges } from './tiles.js'

/** @typedef {import('./timeline.js').Timeline} Timeline */

const SLOP = 4,
  SNAP = 8,
  LONG_PRESS = 500

/** Setting "Mouse: nprof | Perfetto": which of drag and Shift+drag zooms. */
export const mouseMode = () => localStorage.getItem('nprof-mouse') ?? 'nprof'

/** @param {Timeline} timeline @returns {() => void} */
export function listenPointer(timeline) {
  const { over, ruler } = timeline
  let space = false
  /** @type {Map<number, PointerEvent>} */
  const fingers = new Map()
  const onSpace = (/** @type {KeyboardEvent} */ event) => {
    if (event.code !== 'Space') return
    space = event.type === 'keydown'
    if (event.target === over) event.preventDefault() // it is held for a drag, and must not scroll the rows
  }
  document.addEventListener('keydown', onSpace)
  document.addEventListener('keyup', onSpace)

  over.addEventListener('pointerdown', event => {
    if (event.pointerType === 'touch') return touch(timeline, event, fingers)
    const marker = event.button === 0 ? markerAt(timeline, event) : null
    if (marker) return dragMarker(timeline, event, marker)
    if (event.button === 1 || (event.button === 0 && space)) return panBy(timeline, event)
    if (event.button === 0) dragRange(timeline, event)
  })
  over.addEventListener('pointermove', event => {
    if (!event.buttons) onHover(timeline, event)
  })
  over.addEventListener('pointerleave', () => leave(timeline))
  over.addEventListener('dblclick', event => fitEvent(timeline, event))
  over.addEventListener('contextmenu', event => {
    if (event.shiftKey) return
    event.preventDefault()
    if (event.button === 2) timeline.onContext(event)
  })
  ruler.addEventListener('pointerdown', event => panBy(timeline, event))
  for (const element of [over, ruler])
    element.addEventListener('wheel', event => onWheel(timeline, event), { passive: false })
  return () => {
    document.removeEventListener('keydown', onSpace)
    document.removeEventListener('keyup', onSpace)
  }
}

/** Follows a pressed pointer. @param {HTMLElement} element @param {PointerEvent} event @param {(next: PointerEvent) => void} onMove @param {(last: PointerEvent) => void} onEnd */
function follow(element, event, onMove, onEnd) {
  element.setPointerCapture(event.pointerId)
  const end = (/** @type {PointerEvent} */ last) => {
    element.removeEventListener('pointermove', onMove)
    element.removeEventListener('pointercancel', end)
    onEnd(last)
  }
  element.addEventListener('pointermove', onMove)
  element.addEventListener('pointerup', end, { once: true })
  element.addEventListener('pointercancel', end, { once: true })
}

/** @param {Timeline} timeline @param {PointerEvent} event */
function onHover(timeline, event) {
  const hit = timeline.hit(event.offsetX, event.offsetY)
  timeline.cursor = { t: timeline.timeAt(event.offsetX), y: event.offsetY }
  timeline.session.pointer.value = timeline.cursor.t
  timeline.session.hovered.value = hit && hit.value === null ? hit.label : -1
  timeline.over.style.cursor = markerAt(timeline, event)
    ? 'ew-resize'
    : hit
      ? 'pointer'
      : 'crosshair'
  timeline.hover.show(hit, event.clientX, event.clientY)
}

/** @param {Timeline} timeline */
function leave(timeline) {
  timeline.cursor = null
  timeline.session.pointer.value = null
  timeline.session.hovered.value = -1
  timeline.hover.hide()
}

/** @param {Timeline} timeline @param {PointerEvent} event */
function panBy(timeline, event) {
  event.preventDefault()
  const { t0, t1 } = timeline.session.window.value,
    element = /** @type {HTMLElement} */ (event.currentTarget)
  follow(
    element,
    event,
    next => {
      const by = BigInt(
        Math.round(((event.clientX - next.clientX) / timeline.width) * Number(t1 - t0)),
      )
      timeline.session.show(t0 + by, t1 + by)
    },
    () => {},
  )
}

/** A drag zooms, with Shift it selects an area; without movement it is a click. @param {Timeline} timeline @param {PointerEvent} event */
function dragRange(timeline, event) {
  const { over, session } = timeline,
    from = timeline.timeAt(event.offsetX),
    y0 = event.offsetY
  const zoom = !session.measuring.value && event.shiftKey === (mouseMode() === 'perfetto')
  session.measuring.value = false
  let moved = false
  timeline.hover.hide()
  follow(
    over,
    event,
    next => {
      moved ||= Math.abs(next.clientX - event.clientX) > SLOP
      if (!moved) return
      const to = timeline.timeAt(Math.max(0, Math.min(timeline.width, next.offsetX)))
      timeline.band = {
        t0: from < to ? from : to,
        t1: from < to ? to : from,
        y0,
        y1: next.offsetY,
        zoom,
      }
      timeline.draw(false)
    },
    last => {
      const band = timeline.band
      timeline.band = null
      timeline.draw(false)
      if (!band) return click(timeline, last)
      if (band.zoom) session.show(band.t0, band.t1, true)
      else
        session.select({
          kind: 'area',
          t0: band.t0,
          t1: band.t1,
          ...timeline.chosenBetween(band.y0, band.y1),
        })
    },
  )
}

/** @param {Timeline} timeline @param {PointerEvent} event */
function click(timeline, event) {
  const hit = timeline.hit(event.offsetX, event.offsetY)
  const gap = hit ? null : gapAt(timeline, event)
  if (hit)
    timeline.session.select({ kind: 'event', row: hit.row, seen: seenOf(timeline, hit) }).then(
      () =>
        (event.ctrlKey || event.metaKey) && document.dispatchEvent(new CustomEvent('nprof-source')),
      () => {},
    )
  else if (gap) timeline.session.select({ kind: 'area', t0: gap.t0, t1: gap.t1, tracks: [] })
  else timeline.session.select(null)
  timeline.over.focus({ preventScroll: true })
}

/** What the picture knows of a bar.
 * @param {Timeline} timeline
 * @param {NonNullable<ReturnType<Timeline['hit']>>} hit
 * @returns {import('../base/session.js').Seen} */
const seenOf = (timeline, { label, track, type, x0, x1, count }) => ({
  label,
  track,
  t0: timeline.timeAt(x0),
  t1: type === SPAN ? timeline.timeAt(x1) : null,
  count,
})

/** An idle gap on the row of a device. @param {Timeline} timeline @param {PointerEvent} event */
function gapAt(timeline, event) {
  const found = timeline.rowAt(event.offsetY),
    t = timeline.timeAt(event.offsetX)
  return found ? (timeline.gapsOf(found.row, t, t)[0] ?? null) : null
}

/** @param {Timeline} timeline @param {MouseEvent} event */
async function fitEvent(timeline, event) {
  const hit = timeline.hit(event.offsetX, event.offsetY)
  if (!hit) return
  const details = await timeline.session.ask('e', { row: hit.row })
  if (details.end !== null) timeline.session.showSpan(BigInt(details.start), BigInt(details.end))
}

/** @param {Timeline} timeline @param {WheelEvent} event */
function onWheel(timeline, event) {
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault()
    timeline.zoom(
      timeline.timeAt(event.offsetX),
      Math.exp(Math.max(-120, Math.min(120, event.deltaY)) / 250),
    )
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault()
    timeline.pan((event.deltaX || event.deltaY) / timeline.width)
  }
}

/** @param {Timeline} timeline @param {MouseEvent} event */
function markerAt(timeline, event) {
  return (
    timeline.session.markers.value.find(
      marker => Math.abs(timeline.xOf(marker.t) - event.offsetX) < 5,
    ) ?? null
  )
}

/** Moves a marker; it snaps to the nearest edge within 8 pixels, with Alt it is free. @param {Timeline} timeline @param {PointerEvent} event @param {import('../base/session.js').Marker} marker */
function dragMarker(timeline, event, marker) {
  const { session, over } = timeline,
    old = session.markers.value
  const move = (/** @type {bigint} */ t) => {
    session.markers.value = old.map(one => (one.id === marker.id ? { ...one, t } : one))
  }
  let moved = false
  follow(
    over,
    event,
    next => {
      moved ||= Math.abs(next.clientX - event.clientX) > 2
      if (moved) move(timeline.timeAt(next.offsetX))
    },
    async last => {
      if (!moved) return
      const t = timeline.timeAt(last.offsetX)
      const to = last.altKey ? t : await nearestEdge(timeline, t, last.offsetY)
      session.markers.value = old
      session.setMarkers(
        old.map(one => (one.id === marker.id ? { ...one, t: to } : one)),
        marker.name + ' moved to ' + nsText(to - session.zero.value.t) + ' ns',
      )
    },
  )
}

/** @param {Timeline} timeline @param {bigint} t @param {number} y */
async function nearestEdge(timeline, t, y) {
  const { t0, t1 } = timeline.session.window.value
  const within = BigInt(Math.round((SNAP / timeline.width) * Number(t1 - t0)))
  const tracks = timeline.tracksBetween(0, timeline.height),
    near = timeline.tracksBetween(y, y + 1)
  for (const list of [near, tracks]) {
    if (!list.length) continue
    const { edges } = await timeline.session
      .ask('edges', { tracks: ranges(list), t, within })
      .catch(() => ({ edges: [] }))
    if (edges.length) return BigInt(edges[0].t)
  }
  return t
}

/** One finger pans, two zoom, a long press makes a marker. @param {Timeline} timeline @param {PointerEvent} event @param {Map<number, PointerEvent>} fingers */
function touch(timeline, event, fingers) {
  fingers.set(event.pointerId, event)
  const window0 = timeline.session.window.value,
    first = [...fingers.values()],
    scroll = timeline.scroll.scrollTop
  let moved = false
  const press = window.setTimeout(() => {
    if (!moved && fingers.size === 1) {
      moved = true
      timeline.session.addMarker(timeline.timeAt(event.offsetX), null)
    }
  }, LONG_PRESS)
  follow(
    timeline.over,
    event,
    next => {
      if (next.pointerId !== event.pointerId) return
      moved ||= Math.hypot(next.clientX - event.clientX, next.clientY - event.clientY) > 8
      fingers.set(next.pointerId, next)
      if (moved && fingers.size === 1)
        panTo(
          timeline,
          window0,
          event.clientX - next.clientX,
          scroll + event.clientY - next.clientY,
        )
      else if (fingers.size === 2 && first.length === 2)
        pinch(timeline, window0, first, [...fingers.values()])
    },
    last => {
      clearTimeout(press)
      fingers.delete(event.pointerId)
      if (!moved) click(timeline, last)
    },
  )
}

/** @param {Timeline} timeline @param {import('../base/session.js').Window} from @param {number} dx @param {number} top */
function panTo(timeline, from, dx, top) {
  const by = BigInt(Math.round((dx / timeline.width) * Number(from.t1 - from.t0)))
  timeline.session.show(from.t0 + by, from.t1 + by)
  timeline.scroll.scrollTop = top
}

/** @param {Timeline} timeline @param {import('../base/session.js').Window} from @param {PointerEvent[]} before @param {PointerEvent[]} now */
function pinch(timeline, from, before, now) {
  const apart = (/** @type {PointerEvent[]} */ two) =>
    Math.max(8, Math.abs(two[0].clientX - two[1].clientX))
  const left = timeline.over.getBoundingClientRect().left
  const middle = (before[0].clientX + before[1].clientX) / 2 - left,
    length = Number(from.t1 - from.t0)
  const t = from.t0 + BigInt(Math.round((middle / timeline.width) * length)),
    next = (length * apart(before)) / apart(now)
  const t0 = t - BigInt(Math.round((middle / timeline.width) * next))
  timeline.session.show(t0, t0 + BigInt(Math.round(next)))
}
