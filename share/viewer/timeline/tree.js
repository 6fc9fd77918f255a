// SPDX-License-Identifier: Apache-2.0
// The names of the rows beside the lanes: a tree that folds, pins, hides, moves and selects.
import { guard, html, nothing, repeat } from '../lib/lit.js'
import { css } from '../base/element.js'
import { durationText } from '../base/time.js'
import { NO_UNIT, numberText, percentText, valueText } from '../base/values.js'
import { axisText } from './axis.js'
import { COUNTER } from './model.js'

/** @typedef {import('./rows.js').Row} Row */
/** @typedef {import('../base/session.js').Session} Session */

/** @param {Session} session @param {Partial<import('./rows.js').TreeState>} change */
export function changeTree(session, change) {
  session.tree.value = { ...session.tree.value, ...change }
}

/** Takes back what hides rows. @param {Session} session */
export const showAll = session => changeTree(session, { hidden: [], filter: '', only: '' })

/** @param {Session} session @param {Row} row */
export const fold = (session, row) =>
  changeTree(session, { open: { ...session.tree.value.open, [row.node.hash]: !row.open } })

/** @param {Session} session @param {string} hash */
export function pin(session, hash) {
  const { pinned } = session.tree.value
  changeTree(session, {
    pinned: pinned.includes(hash) ? pinned.filter(one => one !== hash) : [...pinned, hash],
  })
}

/** @param {Session} session @param {string} hash */
export function hide(session, hash) {
  const { hidden, pinned } = session.tree.value
  changeTree(session, { hidden: [...hidden, hash], pinned: pinned.filter(one => one !== hash) })
}

/** Hides all siblings of a row. @param {Session} session @param {Row} row */
export function showOnly(session, row) {
  changeTree(session, {
    filter: row.node.label.includes(' ') ? row.node.label.replaceAll(' ', '?') : row.node.label,
  })
}

/** @param {Session} session @param {string} hash */
export function cycleHeight(session, hash) {
  const height = { 1: 2, 2: 4, 4: 1 }[session.tree.value.heights[hash] ?? 1] ?? 1
  const heights = { ...session.tree.value.heights, [hash]: height }
  if (height === 1) delete heights[hash]
  changeTree(session, { heights })
}

/** @param {Session} session @param {string} hash */
export function cycleColour(session, hash) {
  const colour = (session.tree.value.colours[hash] ?? -1) + 1
  const colours = { ...session.tree.value.colours, [hash]: colour }
  if (colour >= 8) delete colours[hash]
  changeTree(session, { colours })
}

/** Puts a row above another of the same heading. @param {Session} session @param {Row} row @param {Row} target */
export function moveBefore(session, row, target) {
  const siblings = session.rows.value.rows
    .filter(one => one.level === target.level)
    .map(one => one.node.hash)
    .filter(hash => hash !== row.node.hash)
  siblings.splice(siblings.indexOf(target.node.hash), 0, row.node.hash)
  changeTree(session, { order: siblings })
}

/** Moves a row by one place. @param {Session} session @param {Row} row @param {number} by */
export function moveBy(session, row, by) {
  const siblings = session.rows.value.rows
    .filter(one => one.level === row.level)
    .map(one => one.node.hash)
  const at = siblings.indexOf(row.node.hash),
    to = at + by
  if (at < 0 || to < 0 || to >= siblings.length) return
  ;[siblings[at], siblings[to]] = [siblings[to], siblings[at]]
  changeTree(session, { order: siblings })
}

const SHORT_UNITS = /^(1|[np]s|(byte|flop)s?(\/s)?)$/

/** @param {Session} session @param {import('./model.js').Node} node @param {{min: number, max: number, bins: 'mean' | 'max' | null}} counter @returns {[string, string]} */
function counterFigure({ names, axes }, node, { min, max, bins }) {
  names.version.value // units come with the names
  const axis = axes.value.get(node.track?.track ?? 0)
  const stated = names.unitOf(
      node.lanes.filter(lane => lane.type === COUNTER).map(lane => lane.label),
    ),
    unit = stated ?? ''
  // A unit that is a word is told by the name of most counters, which is to be read whole, and by the title.
  // A sign of a mean leaves names their room, which the word does not.
  const most = valueText(max, SHORT_UNITS.test(unit) ? unit : '')
  return [
    (bins === 'mean' ? 'x̄ ' : '') + (most[0] === '<' ? most : '≤ ' + most),
    (bins
      ? (bins === 'mean' ? 'means' : 'the greatest values') +
        ' of the short times that nprof cuts the run into (bins), '
      : '') +
      'from ' +
      valueText(min, unit) +
      ' to ' +
      valueText(max, unit) +
      (stated === null ? ', ' + NO_UNIT : '') +
      (axis ? '; ' + axisText(axis, unit) : ''),
  ]
}

/** What stands behind a name: of a counter its greatest value, of what works its busy share of the span of its device, as on the card and in tables devices and engines; with a sentence on it. @param {Session} session @param {Row} row @returns {[string, string]} */
function figureOf(session, { node }) {
  const counter = node.track?.counter,
    work = node.group === undefined ? node.track?.work : null
  if (counter) return counterFigure(session, node, counter)
  if (!work) return ['', '']
  const own = node.kind === 'device' || node.kind === 'core' ? 'its span' : 'the span of its device'
  return [
    percentText(work.share),
    'busy for ' +
      durationText(BigInt(work.busy)) +
      ' of ' +
      own +
      ', ' +
      durationText(BigInt(work.span)),
  ]
}

/** Letters that a counter has room for: where its name and its figure have more, the figure stands in the title alone. */
const ROOM = 24

/** Letters that stay of a name that has no room, from its end. */
const END = 9,
  PATH_END = 18

/** How many letters of the end of a name are to stay: of a path its last name, and how what is above it ends where no figure needs the room. @param {string} name @param {boolean} narrow */
function endOf(name, narrow) {
  const last = name.length - name.lastIndexOf(' › ')
  if (last > name.length || last > PATH_END) return END
  return narrow ? last - 3 : Math.min(last + 5, PATH_END)
}

/** Names of processes differ at their end, and paths of tracks in their last name: the middle of a long one goes. @param {string} name @param {boolean} narrow a figure stands behind it */
function nameParts(name, narrow) {
  const end = endOf(name, narrow)
  if (name.length < (name.includes(' › ') ? PATH_END : 26)) return name
  return html`<span class="front">${name.slice(0, -end)}</span><span>${name.slice(-end)}</span>`
}

/** A pinned row has lost the headings above it: it says the last of them. @param {Session} session @param {import('./model.js').Node} node */
const pinnedName = (session, node) =>
  node.above
    ? node.above + ' › ' + node.label.split(' › ').pop()
    : node.track
      ? session.model.nameOf(node.track.track).split(' › ').slice(-2).join(' › ')
      : node.label

/** @param {Session} session @param {Row} row */
function buttons(session, row) {
  const { hash, label } = row.node,
    { pinned } = session.tree.value
  const button = (
    /** @type {string} */ text,
    /** @type {string} */ title,
    /** @type {() => void} */ run,
    on = false,
  ) =>
    html`<button class="tool" tabindex="-1" title=${title} aria-label=${title + ': ' + label} aria-pressed=${on ? 'true' : nothing}
      @click=${(/** @type {Event} */ event) => {
        event.stopPropagation()
        run()
      }}>${text}</button>`
  return html`<span class="tools">
    ${row.node.track?.counter ? button('≡', 'One axis for all counters of this unit', () => session.toggleAxis(), session.axis.value === 'common') : nothing}
    ${button('◎', 'Only this', () => showOnly(session, row))}
    ${button('↕', 'Height', () => cycleHeight(session, hash))}
    ${button('◐', 'Colour of the row', () => cycleColour(session, hash))}
    ${button('×', 'Hide', () => hide(session, hash))}
    ${button('⤒', pinned.includes(hash) ? 'Unpin' : 'Pin to the top', () => pin(session, hash), pinned.includes(hash))}
  </span>`
}

/** @type {Row | null} */
let dragged = null

/** @typedef {{focus: string, isSelected: (row: Row) => boolean, onFocus: (row: Row) => void, onCheck: (row: Row) => void}} How */
/**
 * @param {Session} session @param {Row} row
 * @param {How} how @param {boolean} selected
 */
function item(session, row, how, selected) {
  const { node } = row,
    { sizes, pinned } = session.rows.value,
    [all, sentence] = figureOf(session, row),
    figure = node.track?.counter && node.label.length + all.length > ROOM ? '' : all
  return html`<div role="treeitem" class="row kind-${node.kind} ${row.pinned ? 'pinned' : ''} ${selected ? 'selected' : ''}"
      id=${'row-' + (row.pinned ? 'p' : '') + node.hash} aria-level=${row.level + 1} aria-setsize=${row.pinned ? pinned.length : sizes[row.level]} aria-posinset=${row.place}
      aria-expanded=${row.expandable ? String(row.open) : nothing} aria-selected=${selected} data-hash=${node.hash}
      tabindex=${how.focus === node.hash && !row.pinned ? 0 : -1} draggable="true" title=${node.label + (node.reason ? ' · unknown: ' + node.reason : '') + (node.track?.counter ? ' · ' + sentence : '') + (node.track ? ' · ' + numberText(node.rows) + ' rows · ' + node.track.origin : '')}
      ${css({ top: row.y + 'px', height: row.h + 'px', '--level': row.level })}
      @focus=${() => how.onFocus(row)}
      @click=${(/** @type {MouseEvent} */ event) => {
        how.onFocus(row)
        if (event.ctrlKey || event.metaKey) how.onCheck(row)
      }}
      @dblclick=${() => row.expandable && fold(session, row)}
      @dragstart=${(/** @type {DragEvent} */ event) => {
        dragged = row
        event.dataTransfer?.setData('text/plain', node.label)
      }}
      @dragover=${(/** @type {DragEvent} */ event) => {
        if (dragged && dragged !== row) event.preventDefault()
      }}
      @drop=${(/** @type {DragEvent} */ event) => {
        event.preventDefault()
        if (dragged) moveBefore(session, dragged, row)
        dragged = null
      }}>
    <span class="label">
      ${row.expandable ? html`<span class="fold" aria-hidden="true" @click=${() => fold(session, row)}>${row.open ? '▾' : '▸'}</span>` : html`<span class="fold"></span>`}
      <span class="name">${nameParts(row.pinned ? pinnedName(session, node) : node.label, figure !== '')}</span>
      <span class="busy" title=${sentence || nothing}>${figure}</span>
    </span>
    ${buttons(session, row)}
    <label class="check" @click=${(/** @type {Event} */ event) => event.stopPropagation()}><input type="checkbox" tabindex="-1" aria-label=${'Select ' + node.label} .checked=${selected} @click=${() => how.onCheck(row)}></label>
  </div>`
}

/** A row that stays as it is, as most do while others are scrolled into sight, costs nothing. @param {Session} session @param {Row[]} rows @param {How} how */
export function treeItems(session, rows, how) {
  const of = [
    session.rows.value,
    session.names.version.value,
    session.axes.value,
    session.axis.value,
  ]
  return repeat(
    rows,
    row => row.node.hash,
    row => {
      const selected = how.isSelected(row)
      return guard([...of, selected, how.focus === row.node.hash], () =>
        item(session, row, how, selected),
      )
    },
  )
}

/** Arrows move and fold. @param {Session} session @param {KeyboardEvent} event @param {string} focus @param {(hash: string) => void} moveTo */
export function treeKey(session, event, focus, moveTo) {
  const { rows } = session.rows.value
  const at = rows.findIndex(row => row.node.hash === focus),
    row = rows[at]
  if (!row) return
  const to = (/** @type {number} */ index) => rows[index] && moveTo(rows[index].node.hash)
  if (event.altKey && event.key === 'ArrowUp') moveBy(session, row, -1)
  else if (event.altKey && event.key === 'ArrowDown') moveBy(session, row, 1)
  else if (event.key === 'ArrowDown') to(at + 1)
  else if (event.key === 'ArrowUp') to(at - 1)
  else if (event.key === 'Home') to(0)
  else if (event.key === 'End') to(rows.length - 1)
  else if (event.key === 'ArrowRight' && row.expandable && !row.open) fold(session, row)
  else if (event.key === 'ArrowRight') to(at + 1)
  else if (event.key === 'ArrowLeft' && row.expandable && row.open) fold(session, row)
  else if (event.key === 'ArrowLeft')
    to(rows.slice(0, at).findLastIndex(one => one.level < row.level))
  else if (event.key === 'Enter' || event.key === ' ') fold(session, row)
  else return
  event.preventDefault()
  event.stopPropagation()
}
