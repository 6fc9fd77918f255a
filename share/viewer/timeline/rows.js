// SPDX-License-Identifier: Apache-2.0
// Which rows the timeline shows, from top to bottom: from the tree of tracks and what the user folded,
// hid, pinned, filtered and moved.
import { COUNTER, SPAN } from './model.js'

/**
 * @typedef {object} TreeState
 * @property {string[]} pinned   hashes, in the order of pinning
 * @property {string[]} hidden
 * @property {Record<string, boolean>} open     differs from the preset
 * @property {Record<string, number>} heights   2 or 4 times as high
 * @property {string[]} order    hashes that were moved: earlier ones stand above later ones
 * @property {Record<string, number>} colours   a colour of the palette for a whole track
 * @property {string} filter
 * @property {string} only       'devices' or 'host': rows of the others are not shown; '': all
 */
/** @typedef {{lane: import('./model.js').Lane, y: number, h: number}} LaneRow */
/**
 * @typedef {object} Row
 * @property {import('./model.js').Node} node
 * @property {number} level
 * @property {number} y
 * @property {number} h
 * @property {boolean} open
 * @property {boolean} expandable
 * @property {boolean} pinned
 * @property {LaneRow[]} strips
 * @property {number} place     among the rows of its level, from 1
 */

export const LANE = 18,
  HEAD = 24,
  COUNTER_HEIGHT = 32
/** Of the run: a counter that stays at one value for longer has a low row. */
const QUIET = 0.95
const MINI_LANES = 8

/** @returns {TreeState} */
export const freshTree = () => ({
  pinned: [],
  hidden: [],
  open: {},
  heights: {},
  order: [],
  colours: {},
  filter: '',
  only: '',
})

/** Preset: the busiest devices and the largest processes are open, threads of hosts and many queues of DMA one row each.
 * @param {import('./model.js').Node} node @param {number} index among its like, the largest first */
function presetOpen(node, index) {
  if (node.kind === 'queues') return false
  if (node.device) return node.children.length ? index < 4 : node.lanes.length <= 6
  return node.children.length > 0 && index < 3 && node.children.length <= 12
}

/** @param {string} pattern */
function wordTest(pattern) {
  const text = pattern.toLowerCase()
  if (!/[*?]/.test(text)) return (/** @type {string} */ name) => name.includes(text)
  const regex = new RegExp(
    '^' +
      text
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '.*')
        .replaceAll('?', '.') +
      '$',
  )
  return (/** @type {string} */ name) => regex.test(name)
}

/** @param {string} text */
const wordsTogether = text => (/** @type {string} */ label) => label.toLowerCase().includes(text)

/** Words of a filter: one of the plain ones must fit, none of those with a minus. Where a label has all plain ones as they stand, as `DMA Throughput`, they are one text. @param {string} filter @param {string[]} [labels] */
export function filterTest(filter, labels = []) {
  const words = filter.trim().split(/\s+/).filter(Boolean),
    kept = words.filter(word => word[0] !== '-' || word === '-'), // a dash of its own is of a label
    plain = kept.filter(word => word !== '-'),
    phrase = kept.join(' ')
  const together = kept.length > 1 && labels.some(wordsTogether(phrase.toLowerCase()))
  const wanted = (together ? [phrase] : plain).map(wordTest)
  const banned = words
    .filter(word => word[0] === '-' && word.length > 1)
    .map(word => wordTest(word.slice(1)))
  return (/** @type {string} */ name) => {
    const text = name.toLowerCase()
    return (!wanted.length || wanted.some(test => test(text))) && !banned.some(test => test(text))
  }
}

/** @param {import('./model.js').Node[]} nodes @param {string[]} order */
function ordered(nodes, order) {
  if (!order.length) return nodes
  const place = (/** @type {import('./model.js').Node} */ node, /** @type {number} */ i) => {
    const at = order.indexOf(node.hash)
    return at < 0 ? i : at - 1e6
  }
  return nodes
    .map((node, i) => ({ node, at: place(node, i) }))
    .sort((a, b) => a.at - b.at)
    .map(one => one.node)
}

/** The top spans of what lies below a folded heading. @param {import('./model.js').Node} node @returns {import('./model.js').Lane[]} */
function topLanes(node) {
  const own = node.lanes.filter(lane => lane.type === SPAN && lane.depth === 0).slice(0, 1)
  return own.length ? own : node.children.flatMap(topLanes)
}

/** @param {import('./model.js').Node} node @param {boolean} open @param {number} factor @returns {LaneRow[]} */
function stripsOf(node, open, factor) {
  if (!node.lanes.length) {
    const lanes = open ? [] : topLanes(node).slice(0, MINI_LANES)
    const h = (HEAD - 4) / Math.max(1, lanes.length)
    return lanes.map((lane, i) => ({ lane, y: 2 + i * h, h }))
  }
  const lanes = open ? node.lanes : node.lanes.slice(0, 1)
  let y = 1
  return lanes.map(lane => {
    const isHigh = lane.type === COUNTER && !((node.track?.counter?.flat ?? 0) > QUIET),
      h = (isHigh ? COUNTER_HEIGHT : LANE) * factor
    y += h
    return { lane, y: y - h, h }
  })
}

export class Rows {
  /** @param {import('./model.js').Node[]} roots @param {TreeState} state */
  constructor(roots, state) {
    this.state = state
    /** Whether no word with a minus fits. */
    this.allows = filterTest(
      state.filter
        .split(/\s+/)
        .filter(word => word[0] === '-')
        .join(' '),
    )
    /** @type {Row[]} */
    this.rows = []
    /** @type {Row[]} */
    this.pinned = []
    this.height = 0
    this.pinnedHeight = 0
    this.shown = 0
    this.total = 0
    /** @type {Map<string, import('./model.js').Node>} */
    this.nodes = new Map()
    /** What each stands below. @type {Map<import('./model.js').Node, import('./model.js').Node>} */
    this.heads = new Map()
    /** Rows of each level. @type {number[]} */
    this.sizes = []
    this.index(roots)
    this.test = filterTest(
      state.filter,
      [...this.nodes.values()].map(node => node.label),
    )
    for (const hash of state.pinned) {
      const node = this.nodes.get(hash)
      if (node)
        this.pinnedHeight = this.put(
          this.pinned,
          node,
          0,
          this.pinnedHeight,
          true,
          node.lanes.length > 0 && node.lanes.length <= 6,
        )
    }
    this.walk(ordered(roots, state.order), 0)
    this.count(roots)
  }

  /** How many tracks are neither hidden nor filtered away, folded or not. @param {import('./model.js').Node[]} nodes */
  count(nodes) {
    for (const node of nodes) {
      if (!this.fits(node)) continue
      if (node.lanes.length) this.shown++
      this.count(node.children)
    }
  }

  /** @param {import('./model.js').Node[]} nodes @param {import('./model.js').Node} [head] */
  index(nodes, head) {
    for (const node of nodes) {
      this.nodes.set(node.hash, node)
      if (head) this.heads.set(node, head)
      if (node.lanes.length) this.total++
      this.index(node.children, node)
    }
  }

  /** Whether a process, device or other heading that it stands below fits the filter. @param {import('./model.js').Node} node @returns {boolean} */
  isUnderMatch(node) {
    const head = this.heads.get(node)
    return head ? this.test(head.label) || this.isUnderMatch(head) : false
  }

  /** Whether it, a heading above it or a row below it fits the filter. @param {import('./model.js').Node} node @returns {boolean} */
  fits(node) {
    if (!node.rows) return false
    if (this.state.hidden.includes(node.hash)) return false
    const below = () => node.children.some(child => this.fits(child))
    if (
      this.state.only &&
      !(node.lanes.length && node.device === (this.state.only === 'devices')) &&
      !below()
    )
      return false
    if (!this.state.filter || this.test(node.label)) return true
    return (this.allows(node.label) && this.isUnderMatch(node)) || below()
  }

  /** @param {import('./model.js').Node[]} nodes @param {number} level */
  walk(nodes, level) {
    const parents = nodes.filter(node => node.children.length)
    const devices = parents
        .filter(node => node.device)
        .sort((a, b) => Number(b.busy > a.busy) - Number(b.busy < a.busy)),
      hosts = parents.filter(node => !node.device).sort((a, b) => b.rows - a.rows)
    for (const node of nodes) {
      if (!this.fits(node)) continue
      const index = (node.device ? devices : hosts).indexOf(node)
      const open =
        this.state.open[node.hash] ?? (presetOpen(node, index) || Boolean(this.state.filter))
      this.height = this.put(this.rows, node, level, this.height, false, open)
      if (open) this.walk(ordered(node.children, this.state.order), level + 1)
    }
  }

  /** @param {Row[]} rows @param {import('./model.js').Node} node @param {number} level @param {number} y @param {boolean} pinned @param {boolean} open */
  put(rows, node, level, y, pinned, open) {
    const strips = stripsOf(node, open, this.state.heights[node.hash] ?? 1)
    const last = strips[strips.length - 1]
    const h = Math.max(HEAD, last ? Math.ceil(last.y + last.h) + 1 : HEAD)
    const expandable = node.children.length > 0 || node.lanes.length > 1
    if (!pinned) this.sizes[level] = (this.sizes[level] ?? 0) + 1
    rows.push({
      node,
      level,
      y,
      h,
      open,
      expandable,
      pinned,
      strips,
      place: pinned ? rows.length + 1 : this.sizes[level],
    })
    return y + h
  }

  /** Rows in a part of the scrolled height. @param {number} from @param {number} to */
  visible(from, to) {
    let low = 0,
      high = this.rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.rows[middle].y + this.rows[middle].h <= from) low = middle + 1
      else high = middle
    }
    let end = low
    while (end < this.rows.length && this.rows[end].y < to) end++
    return this.rows.slice(low, end)
  }

  /** The row that shows a lane, or the folded one above it; of a lane that is parted that of the group. @param {number} lane @param {number} track @param {number} [group] */
  rowOf(lane, track, group) {
    const holds = (/** @type {Row} */ row) =>
      row.node.group === group && row.strips.some(strip => strip.lane.lane === lane)
    const isAbove = (/** @type {Row} */ row) =>
      row.node.group === group &&
      (row.node.track ? row.node.track.track === track : group !== undefined && !row.open)
    return this.pinned.find(holds) ?? this.rows.find(holds) ?? this.rows.find(isAbove) ?? null
  }
}
