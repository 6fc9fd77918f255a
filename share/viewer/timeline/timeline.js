// SPDX-License-Identifier: Apache-2.0
// The timeline: names of the rows at the left, lanes at the right, ruler and overview on top. It draws what the
// session says, at most once a frame; pointer.js and the commands change the session.
import { effect, html, nothing, render } from '../lib/lit.js'
import { changes, make } from '../base/element.js'
import { greatest, least, nsText } from '../base/time.js'
import { counted } from '../base/values.js'
import { partsBelow, partsOf, partsText, readParts, tracksOfParts } from '../base/parts.js'
import { Ground } from './ground.js'
import { hovercard } from './hover.js'
import { causeName } from '../base/step-parts.js'
import { mostlyIn } from './idle.js'
import { LaneImage } from './image.js'
import { GAP } from './model.js'
import { hasOverlay, paintOverlay } from './overlay.js'
import { overview } from './overview.js'
import { hitTest, paintMarks, writeBars } from './paint.js'
import { hatch } from './patterns.js'
import { placeOf } from './place.js'
import { listenPointer } from './pointer.js'
import { lengthText, paintRuler } from './ruler.js'
import { themeNow } from './theme.js'
import { TILE, levelOf, tilesOf } from './tiles.js'
import { changeTree, showAll, treeItems, treeKey } from './tree.js'
import { zeroCell } from './zero.js'

/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('./rows.js').Row} Row */

/** Pixels that it is high. */
const RULER = 26

export class Timeline {
  /** @param {Session} session */
  constructor(session) {
    this.session = session
    this.element = make('section', 'timeline')
    this.element.setAttribute('aria-label', 'Timeline')
    this.element.innerHTML = FRAME
    this.scroll = part(this.element, '.scroll')
    this.tree = part(this.element, '.tree')
    this.pinnedTree = part(this.element, '.pinned-tree')
    this.stage = part(this.element, '.stage')
    this.bars = /** @type {HTMLCanvasElement} */ (part(this.element, '.bars'))
    this.over = /** @type {HTMLCanvasElement} */ (part(this.element, '.over'))
    this.ruler = /** @type {HTMLCanvasElement} */ (part(this.element, '.ruler'))
    this.focus = ''
    this.width = 0
    this.height = 0
    this.frame = 0
    this.barsDirty = true
    /** Whether the canvas that lies over the bars has anything on it. */
    this.isOver = false
    this.image = new LaneImage(1, 1)
    this.rulerChanged = changes()
    this.barsChanged = changes()
    /** How far it was scrolled when it was drawn, in pixels of the screen. */
    this.top = 0
    /** What is kept of the lanes of the last frame. @type {import('./paint.js').Lanes} */
    this.lanes = new Map()
    this.overview = overview(session, () => this.draw(false))
    part(this.element, '.strip-row').append(this.overview)
    /** Where a drag has come to: for the overlay. @type {{t0: bigint, t1: bigint, y0: number, y1: number, zoom: boolean} | null} */
    this.band = null
    /** @type {{t: bigint, y: number} | null} */
    this.cursor = null
    this.hover = hovercard(this)
    this.place = this.placing()
    /** @type {(() => void)[]} */
    this.stops = [
      effect(() => this.onBars()),
      effect(() => this.onOverlay()),
      effect(() => this.onRows()),
      listenPointer(this),
      () => this.overview.dispose(),
    ]
    this.listen()
  }

  listen() {
    const watch = new ResizeObserver(() => this.onResize())
    watch.observe(this.scroll)
    const onScroll = () => {
      this.place.moved()
      this.onRows()
      this.draw(true)
    }
    this.scroll.addEventListener('scroll', onScroll, { passive: true })
    const onLane = (/** @type {Event} */ event) =>
      this.scrollTo(/** @type {CustomEvent} */ (event).detail)
    document.addEventListener('nprof-scroll', onLane)
    const onTheme = () => {
      this.draw(true)
    }
    document.addEventListener('nprof-theme', onTheme)
    this.tree.addEventListener('keydown', event =>
      treeKey(this.session, event, this.focus, hash => this.moveFocus(hash)),
    )
    this.stops.push(
      () => watch.disconnect(),
      () => document.removeEventListener('nprof-scroll', onLane),
      () => document.removeEventListener('nprof-theme', onTheme),
    )
  }

  dispose() {
    this.stops.forEach(stop => stop())
    cancelAnimationFrame(this.frame)
    this.place.dispose()
    this.hover.dispose()
  }

  onResize() {
    const width = Math.max(1, this.bars.parentElement?.clientWidth ?? 1) - this.treeWidth,
      height = this.scroll.clientHeight
    if (width === this.width && height === this.height) return
    this.element.style.setProperty(
      '--scrollbar',
      this.scroll.offsetWidth - this.scroll.clientWidth + 'px',
    )
    this.width = width
    this.height = height
    this.onRows()
    this.onBars()
  }

  get treeWidth() {
    return this.bars.offsetLeft
  }

  /** What bars depend on. */
  onBars() {
    const { session } = this
    session.window.value
    session.rows.value
    session.tiles.version.value
    session.names.version.value
    session.colours.value
    session.hovered.value
    session.litLabels.value
    session.details.value
    session.axes.value
    session.gaps.value
    session.zero.value
    session.strip.value
    session.overlays.gaps.value
    session.overlays.steps.value
    render(this.zero(), part(this.element, '.ruler-row .corner'))
    this.draw(true)
  }

  onOverlay() {
    const { session } = this
    session.selection.value
    session.details.value
    session.markers.value
    session.outlined.value
    session.critical.value
    session.criticalOfRun.value
    session.outliers.value
    session.wantOverlays()
    session.hits.value
    session.overlays.hits.value
    session.overlays.arrows.value
    session.groups.version.value
    session.pointer.value
    this.draw(false)
  }

  /** The names beside the lanes. */
  onRows() {
    const { session } = this,
      rows = session.rows.value,
      selection = session.selection.value
    const visible = rows.visible(
      this.scroll.scrollTop - 200,
      this.scroll.scrollTop + this.height + 200,
    )
    if (!rows.nodes.has(this.focus)) this.focus = rows.rows[0]?.node.hash ?? ''
    const isChosen = chosenRows(
      session.grouping.value,
      selection?.kind === 'area' ? selection : { tracks: [] },
    )
    const how = {
      focus: this.focus,
      isSelected: (/** @type {Row} */ row) => isChosen(row.node),
      onFocus: (/** @type {Row} */ row) => {
        this.focus = row.node.hash
      },
      onCheck: (/** @type {Row} */ row) => this.check(row),
    }
    const focused = rows.rows.find(row => row.node.hash === this.focus)
    const drawn = focused && !visible.includes(focused) ? [focused, ...visible] : visible
    this.tree.style.height = rows.height + 'px'
    this.tree.style.marginTop = rows.pinnedHeight + 'px'
    this.pinnedTree.style.height = rows.pinnedHeight + 'px'
    render(rows.rows.length ? treeItems(session, drawn, how) : this.nothing(rows), this.tree)
    render(treeItems(session, rows.pinned, how), this.pinnedTree)
    render(this.corner(rows), part(this.element, '.bar > .rows'))
    this.place.begin()
  }

  /** How far it is scrolled, as the address keeps it. */
  placing() {
    return placeOf(this)
  }

  /** The label cell of the ruler. */
  zero() {
    return zeroCell(this.session, this.width)
  }

  /** @param {import('./rows.js').Rows} rows */
  corner(rows) {
    const { session } = this,
      hidden = session.tree.value.hidden.length
    const left = rows.shown < rows.total
    return html`<input type="search" class="filter" placeholder="Filter rows" title="a label, or words of several: this* -that" aria-label="Filter rows" spellcheck="false"
        .value=${session.tree.value.filter} @input=${(/** @type {InputEvent} */ event) => changeTree(session, { filter: /** @type {HTMLInputElement} */ (event.target).value })}>
      ${session.groups.asking.value ? html`<span class="muted" aria-busy="true" title=${'Rows are being parted by ' + session.grouping.value}>${session.groups.asking.value}</span>` : left ? html`<button class="quiet" title="Show all rows" @click=${() => showAll(session)}>${rows.shown} of ${rows.total} shown${hidden ? ', ' + hidden + ' hidden' : ''} ×</button>` : nothing}`
  }

  /** Tells people why no row is left. @param {import('./rows.js').Rows} rows */
  nothing(rows) {
    return html`<p class="pad muted">${rows.total ? 'No row fits the filter.' : 'The profile has no rows.'} ${rows.total ? html`<button @click=${() => showAll(this.session)}>Show all rows</button>` : nothing}</p>`
  }

  /** A checkbox selects tracks, or rows of a group on them, without a range of times: the whole window. @param {Row} row */
  check(row) {
    const { session } = this,
      by = session.grouping.value,
      selection = session.selection.value,
      area = selection?.kind === 'area' ? selection : null
    const range = area ?? { t0: session.model.start, t1: session.model.end }
    const parts = toggled(
      partsBelow(row.node),
      area?.parts && readParts(area.parts)?.by === by ? partsOf(area.parts) : [],
    )
    const chosen =
      row.node.group === undefined
        ? { tracks: toggled(tracksBelow(row.node), area?.parts ? [] : (area?.tracks ?? [])) }
        : { tracks: tracksOfParts(partsText(by, parts)), parts: partsText(by, parts) }
    session.select(
      chosen.tracks.length ? { kind: 'area', t0: range.t0, t1: range.t1, ...chosen } : null,
    )
    this.onRows()
  }

  /** @param {string} hash */
  moveFocus(hash) {
    this.focus = hash
    const row = this.session.rows.value.rows.find(one => one.node.hash === hash)
    if (row) this.show(row)
    this.onRows()
    document.getElementById('row-' + hash)?.focus({ preventScroll: true })
  }

  /** @param {Row} row */
  show(row) {
    const room = this.height - this.session.rows.value.pinnedHeight
    if (row.y < this.scroll.scrollTop) this.scroll.scrollTop = row.y
    else if (row.y + row.h > this.scroll.scrollTop + room)
      this.scroll.scrollTop = Math.min(row.y, row.y + row.h - room)
  }

  /** @param {{lane: number, track: number, group: number | undefined}} where */
  scrollTo({ lane, track, group }) {
    const row = this.session.rows.value.rowOf(lane, track, group)
    if (row && !row.pinned) this.show(row)
  }

  /** @param {boolean} bars */
  draw(bars) {
    this.barsDirty ||= bars
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0
      if (this.width < 2 || !this.bars.isConnected) return
      if (this.barsDirty) this.paintBars()
      this.barsDirty = false
      this.paintOver()
      this.overview.paint()
    })
  }

  /** Lanes in sight, with their place on the canvas. @returns {{rows: {row: Row, y: number}[], pinned: {row: Row, y: number}[]}} */
  placedRows() {
    const rows = this.session.rows.value,
      top = this.scroll.scrollTop
    const seen = rows.visible(top, top + this.height - rows.pinnedHeight)
    return {
      rows: seen.map(row => ({ row, y: row.y - top + rows.pinnedHeight })),
      pinned: rows.pinned.map(row => ({ row, y: row.y })),
    }
  }

  /** Where rows in sight stand that an area is of, or that hide some of its rows. @param {import('../base/session.js').Chosen} chosen @returns {{y: number, h: number}[]} */
  placesOf(chosen) {
    const isChosen = chosenRows(this.session.grouping.value, chosen),
      { rows, pinned } = this.placedRows(),
      split = this.session.rows.value.pinnedHeight
    const hides = (/** @type {import('./model.js').Node} */ node) =>
      isChosen(node) || node.children.some(hides)
    const clipped = rows.map(({ row, y }) => ({
      row,
      y: Math.max(y, split),
      h: y + row.h - Math.max(y, split),
    }))
    return [...clipped, ...pinned.map(({ row, y }) => ({ row, y, h: row.h }))].filter(
      ({ row, h }) => h > 0 && (isChosen(row.node) || (!row.open && hides(row.node))),
    )
  }

  /** @param {{row: Row, y: number}[]} rows @returns {import('./paint.js').Placed[]} */
  lanesOf(rows) {
    const { tree, colours, model } = this.session,
      own = tree.value.colours,
      byTrack = colours.value.byTrack
    return rows.flatMap(({ row, y }) =>
      row.strips
        .filter(strip => y + strip.y < this.height && y + strip.y + strip.h > 0)
        .map(strip => ({
          lane: strip.lane,
          row,
          y: y + strip.y,
          h: strip.h,
          colour:
            own[row.node.hash] ??
            (byTrack
              ? colours.value.ofTrack(
                  row.node.track?.label || row.node.label,
                  String(model.pathOf(strip.lane.track)[0]?.track),
                )
              : -1),
        })),
    )
  }

  /** @param {CanvasRenderingContext2D} context @returns {import('./paint.js').Scene} */
  scene(context) {
    const { t0, t1 } = this.session.window.value,
      scale = devicePixelRatio
    const level = levelOf(t1 - t0, this.width * scale)
    const colours = this.session.colours.value
    colours.refresh()
    this.session.tiles.colourBy(colours.byRow)
    const { tiles, hovered, names, details } = this.session,
      same = names.labelOf(details.value?.name ?? ''),
      size = TILE << BigInt(level)
    return {
      context,
      width: this.width,
      height: this.height,
      scale,
      t0,
      t1,
      level,
      tiles: tilesOf(level, t0, t1).map(tile => ({
        from: Number(tile * size - t0),
        to: Number((tile + 1n) * size - t0),
        pictures: tiles.standIns(level, tile),
      })),
      source: tiles,
      colours,
      axes: this.session.axes.value,
      dimmed: hovered.value === same ? -1 : hovered.value,
      lit: this.session.litLabels.value,
      same,
      theme: themeNow(),
      drawn: 0,
    }
  }

  /** The image of bars comes first, with what lies behind them: it is put over all there was. */
  paintBars() {
    const { session, width, height } = this,
      context = prepare(this.bars, width, height),
      scene = this.scene(context),
      { scale } = scene,
      { rows, pinned } = this.placedRows(),
      split = session.rows.value.pinnedHeight
    if (!this.bars.width || !this.bars.height) return // it is not in sight
    if (this.image.width !== this.bars.width || this.image.height !== this.bars.height)
      this.image = new LaneImage(this.bars.width, this.bars.height)
    const parts = [
      { rows, lanes: this.lanesOf(rows), from: split, to: height, ...this.keepLanes(scene, split) },
      { rows: pinned, lanes: this.lanesOf(pinned), from: 0, to: split, fresh: [0, split * scale] },
    ].filter(part => part.to > part.from)
    const ground = new Ground(scene, session, this.image.width)
    const wide = parts.map(part => {
      this.writeGround(ground, part)
      return writeBars(scene, this.image, ground, part)
    })
    this.image.putOn(context)
    parts.forEach((part, i) => {
      context.save()
      context.beginPath()
      context.rect(0, part.from, width, part.to - part.from)
      context.clip()
      paintMarks(scene, part.lanes, wide[i])
      if (part.rows === rows) {
        this.paintCauses(scene, rows)
        this.paintReasons(scene, rows)
      }
      context.restore()
    })
    if (split) {
      context.fillStyle = scene.theme.accent
      context.fillRect(0, split - 1, width, 1)
    }
    const lanes = parts.flatMap(part => part.lanes)
    const spare =
      session.model.lanes.size < 65 && !session.groups.of(session.grouping.value)
        ? [...session.model.lanes.keys()]
        : []
    session.tiles.want(
      scene.level,
      tilesOf(scene.level, scene.t0, scene.t1),
      spare.length ? spare : lanes.map(one => one.lane.id),
    )
    this.describe(rows, lanes.length, scene.drawn)
    this.paintRuler()
  }

  /** Moves the image where rows are scrolled alone: what is known of lanes that it has, what this
   * frame will know, and which of its heights are to be written.
   * @param {import('./paint.js').Scene} scene @param {number} split */
  keepLanes({ scale, theme, colours, dimmed, lit }, split) {
    const { image, session, width } = this,
      top = this.scroll.scrollTop * scale,
      by = top - this.top,
      from = Math.round(split * scale)
    const isOther = this.barsChanged(
      image,
      width,
      theme,
      colours,
      dimmed,
      lit,
      session.window.value,
      session.rows.value,
      session.tiles.version.value,
      session.names.version.value,
      session.zero.value,
      session.model,
      session.starts.value,
      session.overlays.steps.value,
    )
    const isMoved = !isOther && Number.isInteger(by) && Math.abs(by) < image.height - from,
      before = isMoved ? this.lanes : new Map()
    if (isMoved) image.move(by, from, image.height)
    this.top = top
    this.lanes = new Map()
    const fresh = !isMoved
      ? [from, image.height]
      : by > 0
        ? [image.height - by, image.height]
        : [from, from - by]
    return { before, now: this.lanes, fresh }
  }

  /** Writes what lies behind the bars of rows, and below the last, where the image is fresh.
   * @param {Ground} ground @param {{rows: {row: Row, y: number}[], fresh: number[]}} part */
  writeGround(ground, { rows, fresh: [from, to] }) {
    const { image } = this,
      { scale } = ground
    let end = from
    const fill = (/** @type {Int32Array} */ pixels, /** @type {number} */ height) => {
      const next = Math.min(to, Math.round(height * scale))
      if (next > end) image.fill(pixels, end, next)
      end = Math.max(end, next)
    }
    for (const { row, y } of rows) {
      const { inside, foot } = ground.of(row)
      fill(ground.plain, y)
      fill(inside, y + row.h - 1)
      fill(foot, y + row.h)
    }
    image.fill(ground.plain, end, to)
  }

  /** It stays where rows are scrolled alone. */
  paintRuler() {
    const { width } = this,
      { window, zero } = this.session,
      theme = themeNow()
    if (!this.rulerChanged(width, devicePixelRatio, theme, window.value, zero.value)) return
    paintRuler(prepare(this.ruler, width, RULER), width, RULER, window.value, zero.value.t, theme)
  }

  /** Why there is one group alone, on its heading. @param {import('./paint.js').Scene} scene @param {{row: Row, y: number}[]} rows */
  paintReasons({ context, theme }, rows) {
    context.font = '12px system-ui, sans-serif'
    context.fillStyle = theme.faint
    for (const { row, y } of rows)
      if (row.node.reason) context.fillText('unknown: ' + row.node.reason, 8, y + row.h / 2)
  }

  /** Why a device was idle, on its heading. @param {import('./paint.js').Scene} scene @param {{row: Row, y: number}[]} rows */
  paintCauses(scene, rows) {
    if (this.session.overlays.gaps.value !== 'yes') return
    const { context, theme } = scene,
      perPixel = Number(scene.t1 - scene.t0) / this.width
    context.font = '10.5px system-ui, sans-serif'
    for (const { row, y } of rows) {
      const found = this.gapsOf(row, scene.t0, scene.t1)
      if (!found.length) continue
      const gaps = found.map(gap => ({
        gap,
        a: Math.max(0, Number(gap.t0 - scene.t0) / perPixel),
        b: Math.min(this.width, Number(gap.t1 - scene.t0) / perPixel),
      }))
      for (const [a, b] of mostlyIn(gaps, this.width))
        hatch(context, a, y + 2, b - a, row.h - 4, theme.hatch)
      for (const { gap, a, b } of gaps) {
        const text = 'idle: ' + causeName(gap.cause) + ' ' + lengthText(gap)
        if (b - a < context.measureText(text).width + 8) continue
        context.fillStyle = theme.background
        context.fillRect(a + 3, y + 5, context.measureText(text).width + 6, 14)
        context.fillStyle = theme.text
        context.fillText(text, a + 6, y + row.h / 2)
      }
    }
  }

  /** Idle gaps of the device that a row is of, in a range of times. A row that has them itself shows those.
   * @param {Row} row @param {bigint} t0 @param {bigint} t1 */
  gapsOf(row, t0, t1) {
    const all = (row.node.track && this.session.gapsByTrack.value.get(row.node.track.track)) ?? []
    if (!all.length || row.strips.some(strip => strip.lane.type === GAP)) return []
    return all.slice(
      firstWhere(all, gap => gap.t1 >= t0),
      firstWhere(all, gap => gap.t0 > t1),
    )
  }

  paintOver() {
    const context = prepare(this.over, this.width, this.height),
      isOver = hasOverlay(this)
    if (this.isOver) context.clearRect(0, 0, this.width, this.height)
    if (isOver) paintOverlay(this, context)
    this.isOver = isOver
  }

  /** Says in words what the canvas shows, for people who do not see it. @param {{row: Row}[]} rows @param {number} lanes @param {number} bars */
  describe(rows, lanes, bars) {
    const { t0, t1 } = this.session.window.value,
      zero = this.session.zero.value.t
    this.over.setAttribute(
      'aria-label',
      nsText(t0 - zero) +
        ' to ' +
        nsText(t1 - zero) +
        ' ns, ' +
        counted(rows.length, 'track') +
        ', ' +
        counted(lanes, 'lane') +
        ', ' +
        counted(bars, 'bar'),
    )
  }

  /** @param {number} x */
  timeAt(x) {
    const { t0, t1 } = this.session.window.value
    return t0 + BigInt(Math.round((x / this.width) * Number(t1 - t0)))
  }

  /** @param {bigint} t */
  xOf(t) {
    const { t0, t1 } = this.session.window.value
    return Math.max(-1e6, Math.min(1e6, (Number(t - t0) / Number(t1 - t0)) * this.width))
  }

  /** Where the lane of a row lies: the middle of its strip, or of the row that hides it. @param {string} event its row @param {number} track */
  placeOf(event, track) {
    const lane = Number(event.split('.')[0]),
      rows = this.session.rows.value,
      row = rows.rowOf(lane, track, this.session.groupOf(event))
    if (!row) return null
    const strip = row.strips.find(one => one.lane.lane === lane)
    const top = row.pinned ? row.y : row.y - this.scroll.scrollTop + rows.pinnedHeight
    return strip ? { y: top + strip.y, h: strip.h } : { y: top + 2, h: row.h - 4 }
  }

  /** @param {number} y */
  rowAt(y) {
    const { rows, pinned } = this.placedRows(),
      all = y < this.session.rows.value.pinnedHeight ? pinned : rows
    return all.find(one => y >= one.y && y < one.y + one.row.h) ?? null
  }

  /** @param {number} x @param {number} y */
  hit(x, y) {
    const found = this.rowAt(y)
    if (!found) return null
    const scene = this.scene(/** @type {CanvasRenderingContext2D} */ (this.bars.getContext('2d')))
    const lanes = this.lanesOf([found]).filter(lane => y >= lane.y - 1 && y < lane.y + lane.h + 1)
    for (const lane of lanes) {
      const hit = hitTest(scene, lane, x)
      if (hit) return { ...hit, track: lane.lane.track, type: lane.lane.type }
    }
    return null
  }

  /** Tracks between two heights. @param {number} y0 @param {number} y1 */
  tracksBetween(y0, y1) {
    return tracksOfNodes(this.nodesBetween(y0, y1))
  }

  /** The same, and their groups where rows are grouped. @param {number} y0 @param {number} y1 @returns {import('../base/session.js').Chosen} */
  chosenBetween(y0, y1) {
    return chosenOf(this.session.grouping.value, this.nodesBetween(y0, y1))
  }

  /** @param {number} y0 @param {number} y1 @returns {import('./model.js').Node[]} */
  nodesBetween(y0, y1) {
    const { rows, pinned } = this.placedRows(),
      low = Math.min(y0, y1),
      high = Math.max(y0, y1),
      split = this.session.rows.value.pinnedHeight
    const seen = [...pinned, ...rows.filter(one => one.y + one.row.h > split)].filter(
      one => one.y < high && one.y + one.row.h > low,
    )
    const own = seen
      .filter(one => one.row.node.track && one.row.node.lanes.length)
      .map(one => ({ ...one.row.node, children: [] }))
    const folded = seen
      .filter(one => !one.row.open && !one.row.node.lanes.length)
      .map(one => one.row.node)
    return [...own, ...folded]
  }

  /** A right click drops a marker. @param {MouseEvent} event */
  onContext(event) {
    this.session.addMarker(this.timeAt(event.offsetX), null)
  }

  /** Zooms around a time. @param {bigint} t @param {number} factor below 1: closer */
  zoom(t, factor) {
    const { t0, t1 } = this.session.window.value,
      length = Number(t1 - t0)
    const next = greatest(BigInt(Math.round(length * factor)), 64n)
    const before = BigInt(Math.round((Number(t - t0) / length) * Number(next)))
    this.session.show(t - before, t - before + next)
  }

  /** @param {number} part of the window */
  pan(part) {
    const { t0, t1 } = this.session.window.value,
      by = BigInt(Math.round(Number(t1 - t0) * part))
    this.session.show(t0 + by, t1 + by)
  }

  /** Where keys zoom: at the pointer, else at the selection, else in the middle. */
  get anchor() {
    const { t0, t1 } = this.session.window.value,
      details = this.session.details.value
    if (this.cursor) return greatest(t0, least(this.cursor.t, t1))
    if (details) {
      const middle = (BigInt(details.start) + BigInt(details.end ?? details.start)) / 2n
      if (middle > t0 && middle < t1) return middle
    }
    return (t0 + t1) / 2n
  }
}

/** The first place of a list from which on a condition holds; it holds for no earlier one. @template T @param {T[]} list @param {(one: T) => boolean} holds */
function firstWhere(list, holds) {
  let low = 0,
    high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(list[middle])) high = middle
    else low = middle + 1
  }
  return low
}

/** @param {import('./model.js').Node} node @returns {number[]} */
export function tracksBelow(node) {
  return [
    ...(node.track && node.lanes.length ? [node.track.track] : []),
    ...node.children.flatMap(tracksBelow),
  ]
}

/** @param {import('./model.js').Node[]} nodes */
const tracksOfNodes = nodes => [...new Set(nodes.flatMap(tracksBelow))].sort((a, b) => a - b)

/** What an area over these rows selects. @param {string} by @param {import('./model.js').Node[]} nodes @returns {import('../base/session.js').Chosen} */
function chosenOf(by, nodes) {
  const tracks = tracksOfNodes(nodes),
    parts = nodes.flatMap(partsBelow)
  return parts.length ? { tracks, parts: partsText(by, parts) } : { tracks }
}

/** Which rows an area is of: where rows are grouped by something else, all of its tracks. @param {string} by @param {import('../base/session.js').Chosen} chosen @returns {(node: import('./model.js').Node) => boolean} */
function chosenRows(by, { tracks, parts }) {
  const own = new Set(tracks),
    pairs = new Set(parts && readParts(parts)?.by === by ? partsOf(parts).map(String) : [])
  return node =>
    Boolean(
      node.track &&
      (pairs.size && node.group !== undefined
        ? pairs.has(String([node.group, node.track.track]))
        : own.has(node.track.track)),
    )
}

/** With these, or without them where all are there. @template T @param {T[]} own @param {T[]} old @returns {T[]} */
function toggled(own, old) {
  const has = (/** @type {T[]} */ list, /** @type {T} */ one) =>
    list.some(other => String(other) === String(one))
  return own.every(one => has(old, one))
    ? old.filter(one => !has(own, one))
    : [...old, ...own.filter(one => !has(old, one))]
}

/** @param {HTMLElement} root @param {string} selector */
function part(root, selector) {
  return /** @type {HTMLElement} */ (root.querySelector(selector))
}

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
function prepare(canvas, width, height) {
  const scale = devicePixelRatio,
    context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
  const w = Math.round(width * scale),
    h = Math.round(height * scale)
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w
    canvas.height = h
    canvas.style.width = width + 'px'
    canvas.style.height = height + 'px'
  }
  context.setTransform(scale, 0, 0, scale, 0, 0)
  return context
}

const FRAME = `
<div class="bar"><span class="scope"></span><span class="rows"></span><span class="gap"></span><span class="tools"></span></div>
<div class="strip-row"><div class="corner muted">busy</div></div>
<div class="ruler-row"><div class="corner"></div><canvas class="ruler" title="Drag to pan"></canvas></div>
<div class="scroll" tabindex="-1">
  <div class="stage"><canvas class="bars" aria-hidden="true"></canvas><canvas class="over" tabindex="0" role="img"></canvas><div class="pinned-tree" role="tree" aria-label="Pinned tracks"></div></div>
  <div class="tree" role="tree" aria-label="Tracks" aria-multiselectable="true"></div>
</div>
<div class="hovercard" hidden></div>`
