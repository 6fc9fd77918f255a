// SPDX-License-Identifier: Apache-2.0
// The strip over the timeline: the whole run in one line, how busy each device was, and the window as a box.
import { effect } from '../lib/lit.js'
import { changes, make } from '../base/element.js'
import { nsText } from '../base/time.js'
import { LABEL_FONT } from './fit.js'
import { sharesOf } from './idle.js'
import { dots, hatch } from './patterns.js'
import { themeNow } from './theme.js'

const HEIGHT = 34,
  MOST_LINES = 12
/** Pixels that starts of steps are apart, where they are drawn. */
export const NEAR = 8

/** `paint`: draws it where something changed; the timeline calls it at each frame that it draws. @param {import('../base/session.js').Session} session @param {() => void} ask for a frame @returns {HTMLElement & {paint: () => void, dispose: () => void}} */
export function overview(session, ask) {
  const canvas = /** @type {HTMLCanvasElement} */ (make('canvas', 'overview'))
  canvas.setAttribute('role', 'slider')
  canvas.setAttribute('aria-label', 'Window in the whole run')
  canvas.setAttribute('aria-orientation', 'horizontal')
  canvas.tabIndex = 0
  let width = 0
  const watch = new ResizeObserver(() => {
    width = canvas.clientWidth
    ask()
  })
  watch.observe(canvas)
  const stop = effect(() => {
    session.strip.value
    session.hits.value
    session.markers.value
    const { t0, t1 } = session.window.value
    canvas.setAttribute('aria-valuetext', nsText(t0) + ' to ' + nsText(t1) + ' ns')
    canvas.setAttribute(
      'aria-valuenow',
      String(
        Math.round(
          (Number(t0 - session.model.start) / Number(session.model.end - session.model.start)) *
            100,
        ),
      ),
    )
    ask()
  })
  drag(canvas, session)
  return Object.assign(canvas, {
    paint: painter(canvas, session, () => width),
    dispose: () => {
      stop()
      watch.disconnect()
    },
  })
}

/** Draws the whole run once, and the window over a copy of it. @param {HTMLCanvasElement} canvas @param {import('../base/session.js').Session} session @param {() => number} widthNow */
function painter(canvas, session, widthNow) {
  const run = document.createElement('canvas')
  const runChanged = changes(),
    windowChanged = changes()
  return () => {
    const width = widthNow(),
      theme = themeNow(),
      { strip, hits, markers, window } = session
    if (!width) return
    const isOther = runChanged(
      width,
      devicePixelRatio,
      theme,
      strip.value,
      hits.value,
      markers.value,
    )
    if (isOther) canvas.title = paintRun(run, session, width, theme)
    if (!windowChanged(window.value) && !isOther) return
    const context = prepare(canvas, width)
    context.drawImage(run, 0, 0, run.width / devicePixelRatio, run.height / devicePixelRatio)
    const xOf = xIn(session, width)
    paintBox(context, xOf(window.value.t0), xOf(window.value.t1), width, theme)
  }
}

/** @param {HTMLCanvasElement} canvas @param {number} width */
function prepare(canvas, width) {
  const scale = devicePixelRatio,
    context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(HEIGHT * scale)
  context.scale(scale, scale)
  return context
}

/** Where a time lies. @param {import('../base/session.js').Session} session @param {number} width */
function xIn(session, width) {
  const { start, end } = wholeOf(session),
    length = Number(end - start)
  return (/** @type {bigint} */ t) => (Number(t - start) / length) * width
}

/** A line of the strip: shares of its pixels in 255ths, and those of kinds of work that are parts of them. `unsure`: it is unknown which of its rows are work; `tracks`: those it shows, and what holds them. @typedef {{busy: number[], communication: number[], copies: number[], control: number[], unsure: boolean, tracks: Set<number>}} Line */

/** @param {number[]} a @param {number[]} b */
const greater = (a, b) => (a.length ? a.map((value, i) => Math.max(value, b[i] ?? 0)) : b)

/** One line of two: where either is busy. @param {Line} a @param {Line} b @returns {Line} */
const together = (a, b) => ({
  busy: greater(a.busy, b.busy),
  communication: greater(a.communication, b.communication),
  copies: greater(a.copies, b.copies),
  control: greater(a.control, b.control),
  unsure: a.unsure || b.unsure,
  tracks: new Set([...a.tracks, ...b.tracks]),
})

/** Devices' rows of the strip, neighbours on one line where there are too many; all tracks where no device is known. A device has a line of all its work; those of its processes and cores have parts of it, and summaries of it. @param {import('../base/session.js').Session} session @returns {Line[]} */
function busyRows(session) {
  if (!session.strip.value) return []
  /** @type {Map<string, Line>} */
  const rows = new Map()
  const unsure = new Set(session.strip.value.unsure),
    devices = [...session.model.tracks.values()].some(track => track.kind === 'device')
  const { busy: all, communication, copies, control } = session.strip.value
  for (const [number, busy] of Object.entries(all)) {
    const device = session.model.deviceOf(Number(number))
    if (devices && !device) continue
    const key = device ? device.hash : 'all'
    const old = rows.get(key),
      isPart = device !== null && Number(number) !== device.track && device.track in all,
      line = {
        busy: isPart ? [] : busy,
        communication: isPart ? [] : (communication[number] ?? []),
        copies: isPart ? [] : (copies[number] ?? []),
        control: isPart ? [] : (control[number] ?? []),
        unsure: !isPart && unsure.has(Number(number)),
        tracks: new Set(session.model.pathOf(Number(number)).map(track => track.track)),
      }
    rows.set(key, old ? together(old, line) : line)
  }
  const seen = [...rows.values()].filter(row => row.busy.some(value => value > 0)),
    lines = Math.min(seen.length, MOST_LINES)
  return Array.from({ length: lines }, (_, i) =>
    seen
      .slice(Math.ceil((i * seen.length) / lines), Math.ceil(((i + 1) * seen.length) / lines))
      .reduce(together),
  )
}

/** Gives what its patterns mean. @param {HTMLCanvasElement} canvas @param {import('../base/session.js').Session} session @param {number} width @param {import('./paint.js').Theme} theme */
function paintRun(canvas, session, width, theme) {
  const context = prepare(canvas, width),
    xOf = xIn(session, width)
  const rows = busyRows(session),
    strip = session.strip.value,
    h = (HEIGHT - 8) / Math.max(1, rows.length)
  const t0 = BigInt(strip?.t0 ?? 0),
    x0 = xOf(t0),
    pixel = xOf(t0 + BigInt(strip?.p ?? 0)) - x0
  const sharesIn = (/** @type {number[]} */ values) => sharesOf(values, x0, pixel, width)
  rows.forEach((row, i) => paintBusy(context, row, sharesIn, 4 + i * h, h - 1, theme))
  for (const [a, b] of strip?.gaps ?? [])
    hatch(
      context,
      xOf(BigInt(a)),
      HEIGHT - 7,
      Math.max(1, xOf(BigInt(b)) - xOf(BigInt(a))),
      6,
      theme.hatch,
    )
  context.fillStyle = theme.line
  rows.forEach((row, i) => {
    for (const x of stepsOf(session, row, xOf, width))
      context.fillRect(x, i ? 4 + i * h : 0, 1, h + (i ? 0 : 4))
  })
  paintHits(context, session, width, theme)
  for (const marker of session.markers.value) {
    context.fillStyle = theme.accent
    context.fillRect(Math.round(xOf(marker.t)), 0, 2, HEIGHT)
  }
  return [
    rows.some(row => row.unsure) ? 'Dotted: ' + UNSURE : '',
    strip?.gaps?.length ? 'Hatched: idle' : '',
  ]
    .filter(Boolean)
    .join('; ')
}

/** Where steps of what a line shows begin, in pixels, where they are not too near to each other. @param {import('../base/session.js').Session} session @param {Line} line @param {(t: bigint) => number} xOf @param {number} width */
function stepsOf(session, line, xOf, width) {
  const own = [...session.starts.value]
    .filter(([track]) => track === null || line.tracks.has(track))
    .flatMap(([, starts]) => starts)
  const places = new Set(own.map(t => Math.round(xOf(t))))
  return places.size * NEAR > width ? [] : [...places]
}

/** How busy each pixel is; of that communication alone stands on top, copies on top of it, and control on top of these. @param {CanvasRenderingContext2D} context @param {Line} line @param {(values: number[]) => Float64Array} sharesIn pixels @param {number} y @param {number} h @param {import('./paint.js').Theme} theme */
function paintBusy(context, line, sharesIn, y, h, theme) {
  const shares = sharesIn(line.busy),
    sizes = shares.map(share => (share > 0.002 ? Math.max(1, Math.min(1, share) * h) : 0))
  context.save()
  columns(context, sizes, sizes, y + h)
  context.fillStyle = theme.series
  if (!line.unsure) context.fill()
  context.clip()
  if (line.unsure) dots(context, 0, y, shares.length, h, theme.series)
  context.restore()
  if (line.unsure) return saysUnsure(context, y + h / 2, h, theme)
  let tops = sizes
  for (const [values, colour] of /** @type {[number[], string][]} */ ([
    [line.control, theme.control],
    [line.copies, theme.copy],
    [line.communication, theme.communication],
  ])) {
    const parts = sharesIn(values).map((share, x) => Math.min(tops[x], share * h)),
      from = tops
    columns(context, from, parts, y + h)
    context.fillStyle = colour
    context.fill()
    tops = from.map((top, x) => top - parts[x])
  }
}

/** A path of columns. @param {CanvasRenderingContext2D} context @param {Float64Array} tops above the foot @param {Float64Array} sizes down from there @param {number} foot */
function columns(context, tops, sizes, foot) {
  context.beginPath()
  sizes.forEach((size, x) => {
    if (size) context.rect(x, foot - tops[x], 1, size)
  })
}

const UNSURE = 'it is unknown which rows are work'

/** A legend where there is room for it: dots alone tell nobody what they are. @param {CanvasRenderingContext2D} context @param {number} y of its middle @param {number} h @param {import('./paint.js').Theme} theme */
function saysUnsure(context, y, h, theme) {
  if (h < 14) return
  context.font = LABEL_FONT
  context.textBaseline = 'middle'
  context.fillStyle = theme.background
  context.fillRect(6, y - 7, context.measureText(UNSURE).width + 8, 14)
  context.fillStyle = theme.text
  context.fillText(UNSURE, 10, y + 0.5)
}

/** @param {CanvasRenderingContext2D} context @param {import('../base/session.js').Session} session @param {number} width @param {import('./paint.js').Theme} theme */
function paintHits(context, session, width, theme) {
  const histogram = session.hits.value?.histogram ?? []
  context.fillStyle = theme.accent
  histogram.forEach((/** @type {number} */ count, /** @type {number} */ i) => {
    if (count)
      context.fillRect(
        (i / histogram.length) * width,
        HEIGHT - 4,
        Math.max(1.5, width / histogram.length),
        4,
      )
  })
}

/** @param {CanvasRenderingContext2D} context @param {number} a @param {number} b @param {number} width @param {import('./paint.js').Theme} theme */
function paintBox(context, a, b, width, theme) {
  const left = Math.max(0, a),
    right = Math.min(width, b)
  context.fillStyle = theme.background
  context.globalAlpha = 0.55
  context.fillRect(0, 0, left, HEIGHT)
  context.fillRect(right, 0, width - right, HEIGHT)
  context.globalAlpha = 1
  context.strokeStyle = theme.accent
  context.lineWidth = 1.5
  context.strokeRect(left + 0.75, 0.75, Math.max(3, right - left - 1.5), HEIGHT - 1.5)
}

/** Inside of the box a drag moves it, elsewhere it draws a new one. @param {HTMLCanvasElement} canvas @param {import('../base/session.js').Session} session */
function drag(canvas, session) {
  const timeAt = (/** @type {PointerEvent} */ event) => {
    const { start, end } = wholeOf(session),
      box = canvas.getBoundingClientRect()
    return (
      start + BigInt(Math.round(((event.clientX - box.left) / box.width) * Number(end - start)))
    )
  }
  canvas.addEventListener('pointerdown', event => {
    if (event.button !== 0) return
    canvas.setPointerCapture(event.pointerId)
    const from = timeAt(event),
      window = session.window.value
    const whole =
      window.t1 - window.t0 >= ((wholeOf(session).end - wholeOf(session).start) * 95n) / 100n
    const moves = !whole && from >= window.t0 && from <= window.t1
    document.dispatchEvent(new CustomEvent('nprof-step'))
    /** @param {PointerEvent} next */
    const onMove = next => {
      const t = timeAt(next)
      if (moves) session.show(window.t0 + t - from, window.t1 + t - from)
      else if (t !== from) session.show(t < from ? t : from, t < from ? from : t)
    }
    canvas.addEventListener('pointermove', onMove)
    canvas.addEventListener(
      'pointerup',
      next => {
        canvas.removeEventListener('pointermove', onMove)
        if (Math.abs(next.clientX - event.clientX) < 3) session.centre(from)
      },
      { once: true },
    )
  })
}

/** What the strip spans. @param {import('../base/session.js').Session} session */
const wholeOf = session => ({ start: session.whole.t0, end: session.whole.t1 })
