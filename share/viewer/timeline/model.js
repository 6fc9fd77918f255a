// SPDX-License-Identifier: Apache-2.0
// The tracks and lanes of one profile, as route meta gives them, with their tree.
import { greatest, least } from '../base/time.js'
import { PARTED, groupText } from './groups.js'

/**
 * @typedef {object} Lane
 * @property {number} lane
 * @property {number | string} id   what its pictures are kept by: the lane, or "by:lane@group" of its rows of one group
 * @property {number} [group]       of which group it has the rows; undefined: it has all of them
 * @property {number} track
 * @property {number} type    place in TYPES
 * @property {number} depth
 * @property {number | null} label
 * @property {number} rows
 * @property {boolean} works  its rows are work of a device
 */

/** @typedef {import('../base/answers.d.ts').Lanes} Columns */

/**
 * @typedef {object} Track
 * @property {number} track
 * @property {string} hash
 * @property {number | null} parent
 * @property {string} kind
 * @property {string} key
 * @property {string} label
 * @property {number} sort
 * @property {number} input
 * @property {string} origin
 * @property {number} rows
 * @property {string | null} busy     ps with at least one span
 * @property {{busy: string, span: string, share: number} | null} [work]   how long it worked in the
 * span of its device
 * @property {boolean} [works] its rows are work of a device, unless their names say that they are none
 * @property {{min: number, max: number, flat: number, bins: 'mean' | 'max' | null} | null} counter   flat: the share of the run in which it stays at one value; bins: what its values are of each bin that nprof made
 * @property {number} lost
 * @property {string | null} start
 * @property {string | null} end
 */

const TYPES = ['span', 'unclosed', 'instant', 'counter', 'flow', 'gap', 'fact']

export const SPAN = 0,
  UNCLOSED = 1,
  INSTANT = 2,
  COUNTER = 3,
  FLOW = 4,
  GAP = 5,
  FACT = 6

/** Lanes that are drawn as rows; flow ends become arrows and facts stand in Details. */
export const DRAWN = new Set([SPAN, UNCLOSED, INSTANT, COUNTER, GAP])

/**
 * A place in the tree of tracks: a track, or a heading that a grouping made.
 * @typedef {object} Node
 * @property {string} hash
 * @property {string} label
 * @property {string} kind
 * @property {Track | null} track
 * @property {Lane[]} lanes     those that are drawn
 * @property {Node[]} children
 * @property {bigint} busy      of its track, or the largest below it
 * @property {bigint} span
 * @property {number} rows      drawn ones, of it and all below
 * @property {boolean} device   it is a device or lies below one
 * @property {number} [group]   of which group its rows are
 * @property {string} [reason]  why it is the only group
 * @property {string} [above]   the heading of a group, where the same tracks lie below several
 */

export class Model {
  /**
   * @param {Pick<import('../base/answers.d.ts').Meta, 'start' | 'end' | 'rows' | 'tracks' |
   *   'lanes'>} meta
   */
  constructor(meta) {
    this.start = BigInt(meta.start)
    this.end = greatest(BigInt(meta.end), this.start + 1n)
    /** What people are told; the end lies behind the start also where nothing lasts. */
    this.length = greatest(BigInt(meta.end) - this.start, 0n)
    this.rows = meta.rows
    /** @type {Map<number, Track>} */
    this.tracks = new Map(meta.tracks.map(track => [track.track, readTrack(track)]))
    /** @type {Map<number, Lane>} */
    this.lanes = new Map(readLanes(meta.lanes, this.tracks).map(lane => [lane.lane, lane]))
    /** @type {Map<number, Lane[]>} */
    this.lanesOf = new Map()
    for (const lane of this.lanes.values()) {
      const list = this.lanesOf.get(lane.track) ?? []
      list.push(lane)
      this.lanesOf.set(lane.track, list)
    }
    this.inputs = [...this.tracks.values()].filter(track => track.parent === null)
    const above = new Set([...this.tracks.values()].map(track => track.parent))
    /** Those that the file names and that have nothing to draw, on them or below. */
    this.empty = [...this.tracks.values()].filter(
      ({ track }) =>
        !above.has(track) && !(this.lanesOf.get(track) ?? []).some(lane => DRAWN.has(lane.type)),
    )
  }

  /** From the track up to its root. @param {number} number @returns {Track[]} */
  pathOf(number) {
    /** @type {Track[]} */
    const path = []
    for (let track = this.tracks.get(number); track && path.length < 64;) {
      path.unshift(track)
      track = track.parent === null ? undefined : this.tracks.get(track.parent)
    }
    return path
  }

  /** The names of the tracks above and the track, without the input where there is one alone. @param {number} number */
  nameOf(number) {
    const path = this.pathOf(number)
    return (this.inputs.length === 1 && path.length > 1 ? path.slice(1) : path)
      .map(captionOf)
      .join(' › ')
  }

  /** What tables may call a device or core. @param {number} number @returns {string[]} */
  inTables(number) {
    const [own, above] = this.pathOf(number).reverse().map(titleOf)
    return above === undefined ? [own] : [own, above + '/' + own]
  }

  /** @param {number} number */
  deviceOf(number) {
    return this.pathOf(number).find(track => track.kind === 'device') ?? null
  }
}

/** @param {Columns} columns @param {Map<number, Track>} tracks @returns {Lane[]} */
function readLanes({ track, type, depth, label, rows }, tracks) {
  return track.map((_, i) => ({
    lane: i,
    id: i,
    track: track[i],
    type: TYPES.indexOf(type[i]),
    depth: depth[i],
    label: label[i],
    rows: rows[i],
    works: tracks.get(track[i])?.works ?? false,
  }))
}

/**
 * A track without rows has no times; the root has no number.
 * @param {import('../base/answers.d.ts').Track} track @returns {Track}
 */
function readTrack(track) {
  const empty = BigInt(track.start ?? 1) > BigInt(track.end ?? 0)
  return {
    ...track,
    parent: track.parent || null,
    sort: Number(track.sort),
    lost: Number(track.lost),
    start: empty ? null : track.start,
    end: empty ? null : track.end,
  }
}

/** @param {Track} track */
export function titleOf(track) {
  return track.label || track.key.replace(/^"(.*)"$/, '$1') || track.kind + ' ' + track.track
}

/** A title for the eye: a number alone says what it is the number of. @param {Track} track */
function captionOf(track) {
  const title = titleOf(track)
  return /^-?\d+$/.test(title) && /^(process|thread)$/.test(track.kind)
    ? track.kind + ' ' + title
    : title
}

/** @param {Model} model @param {Track} track @returns {Node} */
function nodeOf(model, track) {
  const lanes = (model.lanesOf.get(track.track) ?? []).filter(lane => DRAWN.has(lane.type))
  const span =
    track.start === null || track.end === null ? 0n : BigInt(track.end) - BigInt(track.start)
  return {
    hash: track.hash,
    label: captionOf(track),
    kind: track.kind,
    track,
    lanes,
    children: [],
    busy: BigInt(track.busy ?? 0),
    span,
    rows: lanes.reduce((sum, lane) => sum + lane.rows, 0),
    device: model.deviceOf(track.track) !== null,
  }
}

/** @param {Node} node */
function addUp(node) {
  for (const child of node.children) {
    addUp(child)
    node.rows += child.rows
    node.device ||= child.device
    if (!node.track) node.busy = greatest(node.busy, child.busy)
  }
}

/** @param {Node} node */
const onlyCounts = node => !node.children.length && node.lanes.every(lane => lane.type === COUNTER)

/** Devices first, of each its work before its counters, then as the file sorts them. @param {Node} a @param {Node} b */
function before(a, b) {
  if (a.device !== b.device) return a.device ? -1 : 1
  return (
    (a.device ? Number(onlyCounts(a)) - Number(onlyCounts(b)) : 0) ||
    (a.track?.sort ?? 0) - (b.track?.sort ?? 0) ||
    (a.track?.track ?? 0) - (b.track?.track ?? 0)
  )
}

/** On a Neuron core the seeds count from the bottom: utilization, DMA counters, memory, engines, CC-core; DMA is at the top. */
const NEURON = [
  /dma|queue|axi/i,
  /^cc-core/i,
  /^(pe|pool|act|dve|sp|tensor|vector|scalar|gpsimd|sync)/i,
  /memory/i,
  /hfu/i,
  /dma throughput/i,
  /pending dma/i,
  /tensormatrix/i,
]

/** @param {Node} node */
function neuronRank(node) {
  for (let i = NEURON.length - 1; i >= 0; i--) if (NEURON[i].test(node.label)) return i
  return 2
}

/** Sections of the operator timeline of torch-neuronx, and its lanes from the coarse to the fine. */
const SECTIONS = [
  /^process overview$/i,
  /^process control$/i,
  /^process execution$/i,
  /^process data transfer$/i,
]
const LEVELS = [/^framework ops$/i, /^hlo ops$/i]

/** @param {RegExp[]} order @param {Node} node @returns {number} -1: none of them */
const rankIn = (order, node) => order.findIndex(one => one.test(node.label))

/** @param {Node} node @returns {((node: Node) => number) | null} what children stand in the order of, before that of the file */
function orderOf(node) {
  if (/neuron/i.test(node.label) && node.kind === 'core') return neuronRank
  if (node.children.some(child => rankIn(SECTIONS, child) >= 0))
    return child => (rankIn(SECTIONS, child) < 0 ? SECTIONS.length : rankIn(SECTIONS, child))
  if (node.children.some(child => rankIn(LEVELS, child) >= 0)) return child => rankIn(LEVELS, child)
  return null
}

/** @param {Node} node */
function sortBelow(node) {
  const rank = orderOf(node)
  node.children.sort(rank ? (a, b) => rank(a) - rank(b) || before(a, b) : before)
  node.children.forEach(sortBelow)
}

/** @param {string} text */
function hashOf(text) {
  let hash = 2166136261
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/** What a heading of each grouping is called, for a track with rows. @type {Record<string, (model: Model, track: Track) => string>} */
const HEADINGS = {
  process: (model, track) =>
    titleOf(
      model.pathOf(track.track).find(one => one.kind === 'process' || one.kind === 'device') ??
        track,
    ),
  engine: (_model, track) => titleOf(track),
  kind: (_model, track) => track.kind,
  rank: (model, track) => titleOf(model.pathOf(track.track)[0]),
}

export const GROUPINGS = [
  'device',
  'process',
  'category',
  'layer',
  'operator',
  'source',
  'engine',
  'step',
  'kind',
  'rank',
]

/** The roots of the tree in one grouping; "device" is the tree of the file, which stands there, too, until groups have come.
 * @param {Model} model @param {string} grouping @param {import('./groups.js').Answer | null} [groups] @returns {Node[]} */
export function treeOf(model, grouping, groups = null) {
  if (groups && PARTED.includes(grouping)) return partedTree(model, groups)
  const heading = HEADINGS[grouping]
  const root = heading ? groupedRoot(model, heading) : fileRoot(model)
  addUp(root)
  sortBelow(root)
  if (!heading) gatherQueues(root)
  return root.children
}

/** So many rows of DMA of a Neuron core stand before its engines as they are: more are one row, which unfolds. */
const MOST_QUEUES = 8

/** Engines and counters, which stand below DMA, are to be seen at once. @param {Node} node */
function gatherQueues(node) {
  node.children.forEach(gatherQueues)
  if (orderOf(node) !== neuronRank) return
  const queues = node.children.filter(child => child.lanes.length && neuronRank(child) === 0)
  if (queues.length <= MOST_QUEUES) return
  const all = {
    ...headingNode('DMA of ' + node.hash),
    label: 'DMA, ' + queues.length + ' rows',
    kind: 'queues',
    children: queues,
    rows: queues.reduce((sum, child) => sum + child.rows, 0),
    device: true,
  }
  node.children = [all, ...node.children.filter(child => !queues.includes(child))]
}

/** @param {string} label @returns {Node} */
const headingNode = label => ({
  hash: hashOf('heading ' + label),
  label,
  kind: 'heading',
  track: null,
  lanes: [],
  children: [],
  busy: 0n,
  span: 0n,
  rows: 0,
  device: false,
})

/** @param {Model} model */
function fileRoot(model) {
  const root = headingNode('')
  /** @type {Map<number, Node>} */
  const nodes = new Map()
  for (const track of model.tracks.values()) nodes.set(track.track, nodeOf(model, track))
  for (const track of model.tracks.values()) {
    const node = /** @type {Node} */ (nodes.get(track.track))
    const skipped = track.parent === null && model.inputs.length === 1 && !node.lanes.length
    const parent = track.parent === null ? root : nodes.get(track.parent)
    if (!skipped)
      (parent && !isOnlyInput(model, track.parent, nodes) ? parent : root).children.push(node)
  }
  return root
}

/** @param {Model} model @param {number | null} number @param {Map<number, Node>} nodes */
function isOnlyInput(model, number, nodes) {
  return (
    number !== null &&
    model.inputs.length === 1 &&
    model.inputs[0].track === number &&
    !nodes.get(number)?.lanes.length
  )
}

/** @param {Model} model @param {(model: Model, track: Track) => string} heading */
function groupedRoot(model, heading) {
  const root = headingNode('')
  /** @type {Map<string, Node>} */
  const groups = new Map()
  for (const track of model.tracks.values()) {
    const node = nodeOf(model, track)
    if (!node.lanes.length) continue
    const name = heading(model, track)
    const group = groups.get(name) ?? headingNode(name)
    if (!groups.has(name)) root.children.push(group)
    groups.set(name, group)
    node.label = model.nameOf(track.track)
    group.children.push(node)
  }
  return root
}

/** A heading for each group, and below it the tracks that have rows of it; of no group stands last. @param {Model} model @param {import('./groups.js').Answer} answer @returns {Node[]} */
function partedTree(model, { by, groups, unknown }) {
  const roots = groups.map(({ group, name, lanes }) => {
    const above = groupText(by, name),
      heading = {
        ...headingNode(above),
        hash: hashOf('group ' + by + ' ' + JSON.stringify(name)),
        group,
        reason: unknown,
      }
    /** @type {Map<number, Lane[]>} */
    const tracks = new Map()
    for (const [number, rows] of lanes) {
      const lane = model.lanes.get(number)
      if (lane)
        tracks.set(lane.track, [...(tracks.get(lane.track) ?? []), partOf(lane, by, group, rows)])
    }
    heading.children = [...tracks].flatMap(([number, own]) =>
      partedNode(model, number, own, heading.hash, group, above),
    )
    addUp(heading)
    sortBelow(heading)
    return heading
  })
  const isNone = (/** @type {Node} */ node) => Number(groups[node.group ?? 0].name === null)
  return roots.sort((a, b) => isNone(a) - isNone(b) || Number(b.device) - Number(a.device))
}

/** The rows of a lane that are of a group; all of them are the lane. @param {Lane} lane @param {string} by @param {number} group @param {number} rows @returns {Lane} */
const partOf = (lane, by, group, rows) =>
  rows === lane.rows ? lane : { ...lane, rows, group, id: by + ':' + lane.lane + '@' + group }

/** How long a track was busy with one group nobody says. @param {Model} model @param {number} number @param {Lane[]} lanes @param {string} above hash @param {number} group @param {string} text @returns {Node[]} */
function partedNode(model, number, lanes, above, group, text) {
  const track = model.tracks.get(number)
  if (!track) return []
  return [
    {
      ...nodeOf(model, track),
      hash: hashOf(above + track.hash),
      label: model.nameOf(number),
      lanes,
      rows: lanes.reduce((sum, lane) => sum + lane.rows, 0),
      busy: 0n,
      group,
      above: text,
    },
  ]
}

/** The part of a window that lies in the profile, never empty. @param {Model} model @param {bigint} t0 @param {bigint} t1 */
export function clampWindow(model, t0, t1) {
  const length = greatest(t1 - t0, 64n)
  const whole = model.end - model.start
  const margin = whole / 20n + 1n
  if (length >= whole + 2n * margin) return { t0: model.start - margin, t1: model.end + margin }
  const from = least(
    greatest(t0, model.start - greatest(margin, length / 2n)),
    model.end + greatest(margin, length / 2n) - length,
  )
  return { t0: from, t1: from + length }
}
