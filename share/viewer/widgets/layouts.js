// SPDX-License-Identifier: Apache-2.0
// The built-in layouts, and those that people keep on the server for all profiles.
import { get, write } from '../base/api.js'

/** @typedef {import('./dock.js').Area} Area */

/** @param {string[]} widgets @returns {Area} */
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

/** Pixels: in a lower window what is below the lanes needs more of its height, to have room for rows. */
const LOW = 780,
  MORE = 0.14

/** The timeline above others. @param {number} lanes share of the height @param {string[]} bottom @returns {Area} */
function lanesAbove(lanes, ...bottom) {
  const share = (globalThis.innerHeight ?? LOW) < LOW ? lanes - MORE : lanes
  return above([tabs('timeline'), share], [tabs(...bottom), 1 - share])
}

/** @param {number} lanes share of the height @param {string[]} bottom @returns {Area} */
const standard = (lanes, ...bottom) =>
  beside([lanesAbove(lanes, ...bottom), 0.77], [tabs('details', 'annotations'), 0.23])

/** By name, in the order of the keys 1 to 9. @type {Record<string, Area>} */
export const BUILT_IN = {
  Overview: standard(
    0.62,
    'operators',
    'summary',
    'verdict',
    'findings',
    'selection',
    'steps',
    'gaps',
    'latency',
    'problems',
  ),
  Timeline: beside([tabs('timeline'), 0.75], [tabs('details', 'annotations', 'search'), 0.25]),
  'operator-framework': above([tabs('operators:framework'), 0.62], [tabs('timeline'), 0.38]),
  'operator-hlo': above([tabs('operators:hlo'), 0.62], [tabs('timeline'), 0.38]),
  'operator-timeline': beside(
    [lanesAbove(0.58, 'layers', 'operators:framework'), 0.78],
    [tabs('details'), 0.22],
  ),
  trace: beside(
    [lanesAbove(0.62, 'transfers', 'collectives', 'selection'), 0.78],
    [tabs('details', 'annotations'), 0.22],
  ),
  Device: beside(
    [lanesAbove(0.62, 'summary', 'selection', 'operators'), 0.77],
    [tabs('details', 'annotations'), 0.23],
  ),
  Code: beside(
    [lanesAbove(0.6, 'selection', 'operators'), 0.645],
    [tabs('code', 'details'), 0.355],
  ),
  Steps: above(
    [tabs('steps'), 0.62],
    [beside([tabs('timeline'), 0.75], [tabs('details'), 0.25]), 0.38],
  ),
  Memory: above(
    [tabs('memory'), 0.55],
    [beside([tabs('timeline'), 0.75], [tabs('details'), 0.25]), 0.45],
  ),
  Roofline: beside(
    [tabs('roofline'), 0.55],
    [above([tabs('timeline'), 0.62], [tabs('details', 'operators'), 0.38]), 0.45],
  ),
  Flame: above(
    [tabs('flame', 'critical'), 0.55],
    [beside([tabs('timeline'), 0.75], [tabs('details'), 0.25]), 0.45],
  ),
  Ranks: above(
    [tabs('ranks'), 0.64],
    [beside([tabs('timeline'), 0.75], [tabs('details'), 0.25]), 0.36],
  ),
  SQL: above([tabs('sql'), 0.5], [beside([tabs('timeline'), 0.75], [tabs('details'), 0.25]), 0.5]),
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

/** @param {unknown} data @returns {data is Area} */
export function isArea(data) {
  const area = /** @type {any} */ (data)
  if (area?.type === 'tab-area')
    return (
      Array.isArray(area.widgets) &&
      area.widgets.every((/** @type {unknown} */ id) => typeof id === 'string')
    )
  return (
    area?.type === 'split-area' &&
    Array.isArray(area.children) &&
    area.children.length > 0 &&
    area.children.every(isArea) &&
    Array.isArray(area.sizes)
  )
}

/** The name of the layout that an address wants. @param {URLSearchParams} params */
export const nameOf = params => params.get('l') ?? 'Overview'

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
export const layoutOf = params => ownArea(params) ?? BUILT_IN[nameOf(params)] ?? null

/** Pixels between widgets, and of the tabs above them, as dock.js and widgets.css have them. */
export const SPACING = 3,
  TABS = 27

/** @typedef {{left: number, top: number, width: number, height: number}} Box pixels */

/** Says where a widget will be in a dock of this size; null: it is not in sight. @param {Area} area @param {string} id @param {Box} box @returns {Box | null} */
export function boxOf(area, id, box) {
  if (area.type === 'tab-area')
    return area.widgets[area.currentIndex] === id
      ? { ...box, top: box.top + TABS, height: box.height - TABS }
      : null
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
export const readLayout = name => get('layouts/' + encodeURIComponent(name))

/** Keeps a layout under a name; one of that name is replaced. @param {string} name @param {Area} area */
export async function keepLayout(name, area) {
  const old = (await keptLayouts()).find(item => item.name === name)
  return write('PUT', 'layouts/' + encodeURIComponent(name), { rev: old?.rev ?? null, data: area })
}

/** @param {string} name @param {number} rev */
export const dropLayout = (name, rev) =>
  write('DELETE', 'layouts/' + encodeURIComponent(name) + '?rev=' + rev)
