// SPDX-License-Identifier: Apache-2.0
// Draws lanes: columns of pixels, which are written into one image (image.js), and labels, patterns and counters over it.
import { axisText } from './axis.js'
import { UNKNOWN, withoutName } from './colours.js'
import { Columns, FAINT, busyOf } from './density.js'
import { LABEL_FONT, fit } from './fit.js'
import { DIM, LaneImage } from './image.js'
import { COUNTER, GAP, INSTANT, UNCLOSED } from './model.js'
import { Patterns, crosses } from './patterns.js'

/**
 * What a picture is painted with.
 * @typedef {object} Scene
 * @property {CanvasRenderingContext2D} context
 * @property {number} width      CSS pixels
 * @property {number} height
 * @property {number} scale      device pixels for one CSS pixel
 * @property {bigint} t0
 * @property {bigint} t1
 * @property {number} level
 * @property {Tile[]} tiles      from left to right
 * @property {import('./tiles.js').Tiles} source
 * @property {import('./colours.js').Colours} colours
 * @property {Map<number, import('./axis.js').Axis>} axes  of counters, by track
 * @property {number} dimmed     all but this label are dimmed; -1: none
 * @property {Uint8Array | null} lit   by label: all that have 0 are dimmed while no name is hovered; null: none
 * @property {number} same       label of the rows that have the name of what is selected; -1: none
 * @property {Theme} theme
 * @property {number} drawn      rectangles of bars so far
 */
/** @typedef {{background: string, text: string, faint: string, line: string, accent: string, series: string, communication: string, control: string, copy: string, hatch: string, lost: string, selected: string, linePixel: number, accentPixel: number, palette: import('./palette.js').Palette}} Theme */
/** A tile of the window: where it lies, in ps from its start, and what is known of its lanes. @typedef {{from: number, to: number, pictures: Map<import('./tiles.js').Id, import('./tiles.js').Strip>[]}} Tile */
/** A lane at a place of the canvas. @typedef {{lane: import('./model.js').Lane, row: import('./rows.js').Row, y: number, h: number, colour: number}} Placed */
/** Where rectangles of a picture lie on the screen: pixel = x / 16 * k + at. @typedef {{strip: import('./tiles.js').Strip, k: number, at: number, from: number, to: number}} Piece */

/** The pictures that cover a lane in the window, from left to right, each with the part of the screen it is for.
 * @param {Scene} scene @param {import('./tiles.js').Id} lane @param {number} pixels @returns {Piece[]} */
export function piecesOf(scene, lane, pixels) {
  const perPixel = Number(scene.t1 - scene.t0) / pixels
  /** @type {Piece[]} */
  const pieces = []
  for (const tile of scene.tiles) {
    const strip = scene.source.find(tile.pictures, lane)
    if (!strip) continue
    const from = Math.max(0, tile.from / perPixel),
      to = Math.min(pixels, tile.to / perPixel)
    const k = Number(strip.picture.p) / perPixel,
      at = Number(strip.picture.t0 - scene.t0) / perPixel
    const last = pieces[pieces.length - 1]
    if (last && last.strip.picture === strip.picture) last.to = to
    else pieces.push({ strip, k, at, from, to })
  }
  return pieces
}

/** The first rectangle of a piece that ends at or behind a pixel. @param {Piece} piece @param {number} pixel */
export function firstRect(piece, pixel) {
  const { strip, k, at } = piece
  let low = strip.from,
    high = strip.to
  while (low < high) {
    const middle = (low + high) >> 1
    if ((strip.picture.x1[middle] / 16) * k + at < pixel) low = middle + 1
    else high = middle
  }
  return low
}

const AXIS_FONT = '10px system-ui, sans-serif'

/** What makes lines below a text faint. */
const QUIET = 0.65

/** A rectangle that is wide enough for a text, in CSS pixels. @typedef {{row: number, label: number, a: number, b: number, picture: import('./tiles.js').Picture, i: number}} Wide */

/** Keeps a rectangle for its text; what goes on in the next picture is one. @param {Wide[]} wide @param {Wide} next */
function keepWide(wide, next) {
  const last = wide[wide.length - 1]
  if (last && last.row === next.row && next.a - last.b < 2) last.b = next.b
  else wide.push(next)
}

/** Whether rows of a label are dimmed: others are hovered, or sought. @param {Scene} scene @param {number} label */
const isDimmed = ({ dimmed, lit }, label) =>
  dimmed >= 0 ? label !== dimmed : lit !== null && !lit[label]

/** Fills the columns of a lane, and finds on the way what is wide enough for a text: each rectangle is looked at once a
 * frame. @param {Scene} scene @param {Placed} placed @param {Columns} columns @param {number} width @returns {Wide[]} */
export function fillColumns(scene, placed, columns, width) {
  const { colours, scale } = scene,
    faded = placed.lane.type === UNCLOSED,
    { lane, id, works } = placed.lane
  const known = colours.known[Number(works)],
    own = placed.colour,
    least = placed.h >= 14 ? 8 * scale : Infinity
  /** @type {Wide[]} */
  const wide = []
  columns.clear()
  for (const piece of piecesOf(scene, id, width)) {
    const { strip, at } = piece,
      { picture } = strip,
      { x0, x1, label, count } = picture,
      k = piece.k / 16
    const left = Math.floor(piece.from),
      right = Math.min(width, Math.ceil(piece.to))
    for (let i = firstRect(piece, piece.from); i < strip.to; i++) {
      const start = x0[i] * k + at
      if (start >= right) break
      const end = x1[i] * k + at,
        name = label[i]
      if (end <= left) continue
      scene.drawn++
      const colour =
        own >= 0
          ? own
          : known[name] !== UNKNOWN
            ? known[name]
            : colours.rect(picture, i, lane, works)
      const faint = faded || isDimmed(scene, name) ? FAINT : 0
      if (!Columns.isBar(count[i], start, end)) {
        columns.addShare(
          start + k / 2,
          Math.max(start + k / 2, end - k / 2),
          busyOf(picture, i) * k,
          withoutName(colour) | faint,
          left,
          right,
        )
        if (count[i] > 1 || end - start <= least) continue
      } else
        columns.addBar(
          Math.max(left, Math.round(start)),
          Math.min(right, Math.round(end)),
          colour | faint,
        )
      if (end - start <= least) continue
      const open = faded && i + 1 < strip.to ? x0[i + 1] * k + at : piece.to
      const from = Math.max(start, piece.from),
        to = Math.min(end, piece.to, open)
      if (to - from > least)
        keepWide(wide, {
          row: picture.row[i],
          label: name,
          a: from / scale,
          b: to / scale,
          picture,
          i,
        })
    }
  }
  return wide
}

/** Those that are bars. @param {Placed} placed */
const isBars = ({ lane: { type } }) => type !== COUNTER && type !== INSTANT && type !== GAP

/** What is kept of a lane while rows are scrolled: what of it is wide, how many rectangles it has, and whether all of it is in the image. @typedef {{wide: Wide[], drawn: number, whole: boolean}} Kept */
/** @typedef {Map<import('./tiles.js').Id, Kept>} Lanes */

/** Writes the bars of the lanes of a part, cut off at its ends; gives what is wide enough for a text.
 * Those that are in the image are not looked at again. @param {Scene} scene @param {LaneImage} image
 * @param {import('./ground.js').Ground} ground @param {Part} part @returns {Bar[]} */
export function writeBars(scene, image, ground, part) {
  return part.lanes.filter(isBars).flatMap(placed => {
    const old = part.before?.get(placed.lane.id),
      now = keptOf(scene, image, ground, placed, part, old?.whole ? old : null)
    part.now?.set(placed.lane.id, now)
    return now.wide.map(one => barOf(scene, placed, one))
  })
}

/** @param {Scene} scene @param {LaneImage} image @param {import('./ground.js').Ground} ground @param {Placed} placed @param {Part} part @param {Kept | null} old @returns {Kept} */
function keptOf(scene, image, ground, placed, { from, to }, old) {
  const { scale, theme, drawn } = scene,
    y = Math.round(placed.y * scale),
    h = Math.max(
      1,
      Math.round((placed.y + placed.h) * scale) - y - (placed.h > 4 ? Math.round(scale) : 0),
    ),
    top = Math.max(0, Math.round(from * scale)),
    end = Math.min(image.height, Math.round(to * scale)),
    whole = y >= top && y + h <= end
  if (old) {
    scene.drawn += old.drawn
    return { ...old, whole }
  }
  const wide = fillColumns(scene, placed, image.columns, image.width)
  image.write(
    theme.palette,
    ground.of(placed.row).inside,
    y,
    h,
    Math.max(1, Math.round(scale)),
    top,
    end,
  )
  return { wide, drawn: scene.drawn - drawn, whole }
}

/** Lanes of a part of the canvas, from and to which height, and what is kept of them from frame to frame where they are scrolled. @typedef {{lanes: Placed[], from: number, to: number, before?: Lanes, now?: Lanes}} Part */
/** A wide rectangle, with what it is drawn with. @typedef {Wide & {placed: Placed, colour: number, faded: boolean, lined: boolean, guessed: boolean}} Bar */

/** @param {Scene} scene @param {Placed} placed @param {Wide} one @returns {Bar} */
function barOf(scene, placed, one) {
  const { colours } = scene
  const text = colours.names.get(one.label),
    { lane } = placed
  return {
    ...one,
    placed,
    colour:
      placed.colour >= 0 ? placed.colour : colours.rect(one.picture, one.i, lane.lane, lane.works),
    faded: isDimmed(scene, one.label),
    lined: lane.works && text?.[7] === 'communication',
    guessed: text?.[8] ?? false,
  }
}

/** Says by lines what is communication, and by waves which names are likely alone; of narrower bars nothing but their colour
 * would be seen. @param {Scene} scene @param {Bar[]} bars */
function paintPatterns({ context, scale, theme }, bars) {
  const patterns = new Patterns()
  for (const {
    placed: { lane, y, h },
    a,
    b,
    colour,
    faded,
    lined,
    guessed,
  } of bars) {
    const pale = faded || lane.type === UNCLOSED // the ground is seen through it, and lines stand out from that
    const kinds = /** @type {import('./patterns.js').Kind[]} */ ([
      ...(lined ? ['backslash'] : []),
      ...(guessed ? ['wave'] : []),
    ])
    for (const kind of kinds)
      patterns.add(
        kind,
        pale ? theme.text : theme.palette.line[colour],
        pale ? DIM : 1,
        a,
        y,
        b - a,
        h - 1,
      )
  }
  patterns.draw(context, scale)
}

/** Makes lines below a text so faint that it is read at ease. @param {Scene} scene @param {string} text @param {Bar} bar */
function quiet({ context, theme }, text, { a, colour, placed: { y, h } }) {
  context.globalAlpha = QUIET
  context.fillStyle = theme.palette.css[colour]
  context.fillRect(a + 2, y + 2, context.measureText(text).width + 4, h - 5)
  context.globalAlpha = 1
}

/** @param {Scene} scene @param {Bar} bar */
function paintLabel(scene, bar) {
  const { context, colours, theme } = scene
  const {
      label,
      a,
      b,
      colour,
      faded,
      lined,
      placed: { lane, y, h },
    } = bar,
    open = lane.type === UNCLOSED
  const text = b - a < 32 ? null : colours.names.get(label)
  const shown = text ? fit(context, colours.sign(text[0]) + (text[2] || text[0]), b - a - 8) : ''
  if (!shown) return
  if (lined && !faded && !open) quiet(scene, shown, bar)
  context.fillStyle = faded ? theme.faint : open ? theme.text : theme.palette.ink[colour]
  context.fillText(shown, a + 4, y + h / 2 + 0.5)
}

/** @param {Scene} scene @param {Placed} placed */
function paintCounter(scene, placed) {
  const { context } = scene,
    axis = scene.axes.get(placed.lane.track) ?? { low: 0, high: 1, unit: '', rows: 1 },
    { low, high } = axis
  const top = placed.y + 2,
    room = placed.h - 4
  const yOf = (/** @type {number} */ value) => top + room - ((value - low) / (high - low)) * room
  context.save()
  context.beginPath()
  context.rect(0, placed.y, scene.width, placed.h)
  context.clip()
  for (const piece of piecesOf(scene, placed.lane.id, scene.width)) {
    const { strip, k, at } = piece,
      { x0, x1, lowValue, highValue, count } = strip.picture
    const colour = placed.lane.label === null ? 4 : scene.colours.of(placed.lane.label, false)
    for (let i = firstRect(piece, piece.from); i < strip.to; i++) {
      const a = Math.max(piece.from, (x0[i] / 16) * k + at),
        b = Math.min(piece.to, (x1[i] / 16) * k + at)
      if ((x0[i] / 16) * k + at >= piece.to) break
      if (Number.isNaN(highValue[i]) || b <= a) continue
      context.globalAlpha = 0.35
      context.fillStyle = scene.theme.palette.css[colour]
      context.fillRect(
        a,
        yOf(highValue[i]),
        b - a,
        yOf(Math.max(low, Math.min(0, high))) - yOf(highValue[i]),
      )
      context.globalAlpha = count[i] > 1 ? 0.6 : 1
      context.fillRect(
        a,
        yOf(highValue[i]) - 0.5,
        b - a,
        Math.max(1.5, count[i] > 1 ? yOf(lowValue[i]) - yOf(highValue[i]) : 0),
      )
    }
  }
  context.globalAlpha = 1
  context.restore()
  if (axis.rows > 1) paintAxis(scene, placed, axisText(axis, axis.unit))
}

/** Says what an axis is that is not of this row alone: its heights would mislead. @param {Scene} scene @param {Placed} placed @param {string} text */
function paintAxis({ context, theme }, { y }, text) {
  context.font = AXIS_FONT
  context.lineWidth = 3
  context.lineJoin = 'round'
  context.strokeStyle = theme.background
  context.strokeText(text, 5, y + 7.5)
  context.fillStyle = theme.text
  context.fillText(text, 5, y + 7.5)
  context.font = LABEL_FONT
}

/** @param {Scene} scene @param {Placed} placed */
function paintInstants(scene, placed) {
  const { context, colours, theme } = scene
  for (const piece of piecesOf(scene, placed.lane.id, scene.width)) {
    const { strip, k, at } = piece,
      { x0, label } = strip.picture
    for (let i = firstRect(piece, piece.from); i < strip.to; i++) {
      const x = (x0[i] / 16) * k + at
      if (x >= piece.to) break
      context.fillStyle = theme.palette.css[colours.of(label[i], placed.lane.works)]
      context.beginPath()
      context.moveTo(x, placed.y + 2)
      context.lineTo(x + 4, placed.y + placed.h / 2)
      context.lineTo(x, placed.y + placed.h - 3)
      context.lineTo(x - 4, placed.y + placed.h / 2)
      context.closePath()
      context.fill()
      context.strokeStyle = theme.faint
      context.lineWidth = 1
      context.stroke()
    }
  }
}

/** CSS pixels: what was lost is seen also where the file does not say for how long. */
const LEAST_GAP = 8

/** @param {Scene} scene @param {Placed} placed */
function paintGaps(scene, placed) {
  const { context, theme } = scene
  for (const piece of piecesOf(scene, placed.lane.id, scene.width)) {
    const { strip, k, at } = piece
    for (let i = firstRect(piece, piece.from); i < strip.to; i++) {
      const a = Math.max(piece.from, (strip.picture.x0[i] / 16) * k + at),
        b = Math.min(piece.to, (strip.picture.x1[i] / 16) * k + at)
      if (a >= piece.to) break
      crosses(context, a, placed.y + 1, Math.max(LEAST_GAP, b - a), placed.h - 2, theme.lost)
    }
  }
}

/** What lies over the bars of lanes. @param {Scene} scene @param {Placed[]} lanes @param {Bar[]} wide */
export function paintMarks(scene, lanes, wide) {
  const { context } = scene
  context.font = LABEL_FONT
  context.textBaseline = 'middle'
  for (const placed of lanes) {
    if (placed.lane.type === COUNTER) paintCounter(scene, placed)
    else if (placed.lane.type === INSTANT) paintInstants(scene, placed)
    else if (placed.lane.type === GAP) paintGaps(scene, placed)
  }
  paintPatterns(scene, wide)
  for (const bar of wide) paintLabel(scene, bar)
  context.fillStyle = scene.theme.selected
  for (const {
    label,
    a,
    b,
    placed: { y, h },
  } of wide)
    if (label === scene.same) context.fillRect(a, y + h - 3, b - a, 2)
}

/**
 * What lies at a pixel of a lane: its rectangle, or the nearest within two pixels.
 * @typedef {{row: string, lane: number, label: number, count: number, share: number, x0: number, x1: number, value: number | null}} Hit
 */
/** @param {Scene} scene @param {Placed} placed @param {number} x @returns {Hit | null} */
export function hitTest(scene, placed, x) {
  /** @type {Hit | null} */
  let best = null
  let nearest = 3
  for (const piece of piecesOf(scene, placed.lane.id, scene.width)) {
    if (x < piece.from - 3 || x > piece.to + 3) continue
    const { strip, k, at } = piece,
      picture = strip.picture
    for (let i = firstRect(piece, x - 3); i < strip.to; i++) {
      const a = (picture.x0[i] / 16) * k + at,
        b = (picture.x1[i] / 16) * k + at
      if (a > x + 3) break
      const distance = x < a ? a - x : x > b ? x - b : 0
      if (distance >= nearest) continue
      nearest = distance
      const counter = placed.lane.type === COUNTER
      best = {
        row: placed.lane.lane + '.' + picture.row[i],
        lane: placed.lane.lane,
        label: picture.label[i],
        count: picture.count[i],
        share: picture.low[i] / 65535,
        x0: a,
        x1: b,
        value: counter ? picture.highValue[i] : null,
      }
    }
  }
  return best
}
