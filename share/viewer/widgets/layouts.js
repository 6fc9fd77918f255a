// SPDX-License-Identifier: Apache-2.0
// The built-in layouts, and those that people keep on the server for all profiles.
import { get, write } from '../base/api.js'

/** @typedef {import('./dock.js').Area} Area */

/** @param {string[]} widgets @returns {Area & {type: 'tab-area'}} */
const tabs = (...widgets) => ({ type: 'tab-area', widgets, currentIndex: 0 })
/** @param {[Area, number][]} parts @returns {Area} */
const beside = (...parts) => ({
  type: 'split-area',
  orientation: 'horizontal',
  children: parts.map(one => one[0]),
  sizes: parts.map(one => one[1]),
})
/** @param {[Area, number][]} parts @returns {Area} */
const above = (...parts) => ({
  type: 'split-area',
  orientation: 'vertical',
  children: parts.map(one => one[0]),
  sizes: parts.map(one => one[1]),
})

/** Tabs below the timeline, in the order of the keys 1 to 9. */
export const VIEWS = [
  'operators',
  'steps',
  'flame',
  'memory',
  'roofline',
  'collectives',
  'gaps',
  'latency',
  'code',
  'sql',
]

/** Pixels: in a lower window, or a narrow one, what is below the lanes needs more of its height, to
 * have room for rows. */
const LOW = 780,
  MORE = 0.14

/** Pixels: in a window no wider than this what to do stands above the timeline, not beside it, and
 * the page scrolls; page.css says the same. */
const NARROW = 900

/** Whether the window is that narrow. */
const isNarrow = () => (globalThis.innerWidth ?? NARROW + 1) <= NARROW

/** Shares of the height that tabs have below the lanes, one that people want to see more of, and one in a low window. */
export const THIRD = 0.38,
  HIGH = 0.62,
  MOST = 0.68

/** The one frame: the timeline, tabs below it, and at the right what is selected, or what to do. A view in front stands where the tab of its kind is, else behind all. @param {string} [front] @param {number} [share] of the height @returns {Area} */
function frame(front = VIEWS[0], share = THIRD) {
  const kind = front.split(':')[0],
    widgets = [...new Set([...VIEWS.map(id => (id === kind ? front : id)), front])],
    isLow = isNarrow() || (globalThis.innerHeight ?? LOW) < LOW,
    high = isLow ? Math.min(share + MORE, MOST) : share
  const lanes = above(
    [tabs('timeline'), 1 - high],
    [{ ...tabs(...widgets), currentIndex: widgets.indexOf(front) }, high],
  )
  return withDetails(lanes, isNarrow())
}

/** What to do has this share of the width, and of the height where it stands above. */
const BESIDE = 0.235,
  ABOVE = 0.38

/** What to do beside the lanes and what is below them, or in a narrow window above them. A dock
 * makes one split of splits of one way.
 * @param {Area} lanes
 * @param {boolean} narrow
 * @returns {Area} */
function withDetails(lanes, narrow) {
  if (!narrow) return beside([lanes, 1 - BESIDE], [tabs('details'), BESIDE])
  const parts =
    lanes.type === 'split-area' && lanes.orientation === 'vertical'
      ? lanes
      : { children: [lanes], sizes: [1] }
  return above(
    [tabs('details'), ABOVE],
    ...parts.children.map(
      (one, i) => /** @type {[Area, number]} */ ([one, parts.sizes[i] * (1 - ABOVE)]),
    ),
  )
}

/** Whether a part holds what to do alone. @param {Area | undefined} area */
const isDetails = area => area?.type === 'tab-area' && area.widgets.join() === 'details'

/** The frame as the window has it now, whichever window it was made in: in a narrow one what to do
 * has no room beside the lanes. Another arrangement, and what to do where people have put it above,
 * stays.
 * @param {Area} area
 * @returns {Area} */
export function turned(area) {
  if (area.type !== 'split-area') return area
  const { orientation, children, sizes } = area,
    narrow = isNarrow()
  if (narrow && orientation === 'horizontal' && children.length === 2 && isDetails(children[1]))
    return withDetails(children[0], true)
  if (narrow || orientation !== 'vertical' || !isDetails(children[0])) return area
  if (Math.abs(sizes[0] - ABOVE) > 0.01) return area
  const rest = children
    .slice(1)
    .map((one, i) => /** @type {[Area, number]} */ ([one, sizes[i + 1] / (1 - ABOVE)]))
  return withDetails(rest.length > 1 ? above(...rest) : rest[0][0], false)
}

export const STANDARD = 'Standard'

/** The page of a job: its ranks have most of the room below the lanes. */
export const JOB = 'Ranks'

/** The split of a layout that has the timeline above others; null: it has none. @param {Area} area @returns {(Area & {type: 'split-area'}) | null} */
function splitOf(area) {
  if (area.type === 'tab-area') return null
  const [first] = area.children
  if (
    area.orientation === 'vertical' &&
    area.sizes.length === 2 &&
    first.type === 'tab-area' &&
    first.widgets.includes('timeline')
  )
    return area
  return area.children.map(splitOf).find(Boolean) ?? null
}

/** Which share of the height is below the timeline. @param {Area} area */
export const bottomOf = area => splitOf(area)?.sizes[1] ?? 1

/** Gives what is below the timeline a share of the height. @param {Area} area @param {number} share @returns {Area} */
export function heighten(area, share) {
  const copy = structuredClone(area),
    split = splitOf(copy)
  if (split) split.sizes = [1 - share, share]
  return copy
}

/** Of the width: a line of code, and what it cost, can be read in it. */
const HALF = 0.5

/** Layouts that are not the frame with a view in front. @type {Record<string, () => Area>} */
const BUILT_IN = {
  [STANDARD]: () => frame(),
  'Code beside the timeline': () =>
    beside(
      [
        above(
          [tabs('timeline'), 1 - THIRD],
          [tabs(...VIEWS.filter(id => id !== 'code'), 'selection'), THIRD],
        ),
        HALF,
      ],
      [tabs('code', 'details'), HALF],
    ),
}

/** Tools of TensorBoard's plugin for Neuron: the view that each puts in front, and its share of the height. @type {Record<string, [string, number]>} */
const TOOLS = {
  'operator-framework': ['operators:framework', HIGH],
  'operator-hlo': ['operators:hlo', HIGH],
  'operator-timeline': ['layers', THIRD],
}

/** Views with most of the height, likewise. @type {Record<string, [string, number]>} */
const LARGE = {
  Steps: ['steps', HIGH],
  Memory: ['memory', HIGH],
  Roofline: ['roofline', HIGH],
  Flame: ['flame', HIGH],
  [JOB]: ['ranks', HIGH],
  SQL: ['sql', HIGH],
}

/** @type {Record<string, [string, number]>} */
const VIEW_OF = { ...TOOLS, ...LARGE }

/** What menus offer beside those that the server keeps, by the head of each group. @type {[string, string[]][]} */
export const OFFERED = [
  ['Layout', Object.keys(BUILT_IN)],
  ['Operator tools', Object.keys(TOOLS)],
  ['Large below the timeline', Object.keys(LARGE)],
]

/** Words of links that say no more than what the frame has. @type {Record<string, string>} */
const SAME = {
  Overview: STANDARD,
  Timeline: STANDARD,
  trace: STANDARD,
  Device: STANDARD,
  Code: 'Code beside the timeline',
}

/** All names that links and commands may have. */
export const NAMES = [...Object.keys(BUILT_IN), ...Object.keys(SAME), ...Object.keys(VIEW_OF)]

/** The layout of a name; null: the server keeps it. @param {string} name @returns {Area | null} */
export function builtIn(name) {
  if (Object.hasOwn(VIEW_OF, name)) return frame(...VIEW_OF[name])
  const own = Object.hasOwn(SAME, name) ? SAME[name] : name
  return Object.hasOwn(BUILT_IN, own) ? BUILT_IN[own]() : null
}

/** Drops what is not there, so that a layout never names a widget that does not exist. @param {Area} area @param {(id: string) => boolean} exists @returns {Area | null} */
export function only(area, exists) {
  if (area.type === 'tab-area') {
    const widgets = area.widgets.filter(exists)
    return widgets.length
      ? { ...area, widgets, currentIndex: Math.min(area.currentIndex, widgets.length - 1) }
      : null
  }
  const kept = area.children
    .map((child, i) => ({ child: only(child, exists), size: area.sizes[i] }))
    .filter(one => one.child)
  if (kept.length < 2) return kept[0]?.child ?? null
  return {
    ...area,
    children: kept.map(one => /** @type {Area} */ (one.child)),
    sizes: kept.map(one => one.size),
  }
}

/** Adds a tab behind those below the lanes, where it is not there. @param {Area} area @param {string} id @returns {Area} */
export function withTab(area, id) {
  if (area.type === 'split-area')
    return { ...area, children: area.children.map(child => withTab(child, id)) }
  return area.widgets.includes(VIEWS[0]) && !area.widgets.includes(id)
    ? { ...area, widgets: [...area.widgets, id] }
    : area
}

/** Opens tabs on the first that has something to show. @param {Area} area @param {(id: string) => boolean} isEmpty @returns {Area} */
export function fronts(area, isEmpty) {
  if (area.type === 'split-area')
    return { ...area, children: area.children.map(child => fronts(child, isEmpty)) }
  const first = area.widgets.findIndex(id => !isEmpty(id))
  return {
    ...area,
    currentIndex:
      first < 0 || !isEmpty(area.widgets[area.currentIndex]) ? area.currentIndex : first,
  }
}

/**
 * What was kept as an area.
 * @typedef {Record<'type' | 'widgets' | 'children' | 'sizes', unknown>} Kept
 */

/** @param {unknown} data @returns {data is Area} */
export function isArea(data) {
  const area = /** @type {Partial<Kept> | null | undefined} */ (data)
  if (area?.type === 'tab-area')
    return Array.isArray(area.widgets) && area.widgets.every(id => typeof id === 'string')
  return (
    area?.type === 'split-area' &&
    Array.isArray(area.children) &&
    area.children.length > 0 &&
    area.children.every(isArea) &&
    Array.isArray(area.sizes)
  )
}

/** The name of the layout that an address wants. @param {URLSearchParams} params */
export const nameOf = params => params.get('l') ?? STANDARD

/** Returns what the user changed in it, where the address says that. @param {URLSearchParams} params @returns {Area | null} */
export function ownArea(params) {
  try {
    const area = JSON.parse(params.get('w') ?? 'null')
    return isArea(area) ? area : null
  } catch {
    return null // a broken address shows the layout of its name
  }
}

/** The layout of an address; null: the server keeps it. @param {URLSearchParams} params */
export function layoutOf(params) {
  const own = ownArea(params)
  return own ? turned(own) : builtIn(nameOf(params))
}

/** Pixels between widgets, and of the tabs above them, as dock.js and widgets.css have them. */
export const SPACING = 1,
  TABS = 33

/** What belongs to the frame has no tab while it stands alone. @param {string[]} widgets */
export const isBare = widgets =>
  widgets.length === 1 && (widgets[0] === 'timeline' || widgets[0] === 'details')

/** @typedef {{left: number, top: number, width: number, height: number}} Box pixels */

/** Says where a widget will be in a dock of this size; null: it is not in sight. @param {Area} area @param {string} id @param {Box} box @returns {Box | null} */
export function boxOf(area, id, box) {
  if (area.type === 'tab-area') {
    const tabs = isBare(area.widgets) ? 0 : TABS
    return area.widgets[area.currentIndex] === id
      ? { ...box, top: box.top + tabs, height: box.height - tabs }
      : null
  }
  const [side, size] =
    area.orientation === 'horizontal'
      ? /** @type {const} */ (['left', 'width'])
      : /** @type {const} */ (['top', 'height'])
  const room = box[size] - SPACING * (area.children.length - 1),
    sum = area.sizes.reduce((all, one) => all + one, 0)
  let at = box[side]
  for (let i = 0; i < area.children.length; i++) {
    const own = (room * area.sizes[i]) / sum,
      found = boxOf(area.children[i], id, { ...box, [side]: at, [size]: own })
    if (found) return found
    at += own + SPACING
  }
  return null
}

/** @returns {Promise<{name: string, rev: number}[]>} */
export const keptLayouts = async () => (await get('layouts')).items

/** @param {string} name */
export const readLayout = name => get(`layouts/${encodeURIComponent(name)}`)

/**
 * Keeps a layout under a name; one of that name is replaced.
 * @param {string} name @param {unknown} area an Area, or what was kept as one
 */
export async function keepLayout(name, area) {
  const old = (await keptLayouts()).find(item => item.name === name)
  return write('PUT', 'layouts/' + encodeURIComponent(name), { rev: old?.rev ?? null, data: area })
}

/** @param {string} name @param {number} rev */
export const dropLayout = (name, rev) =>
  write('DELETE', 'layouts/' + encodeURIComponent(name) + '?rev=' + rev)
