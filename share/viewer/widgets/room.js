// SPDX-License-Identifier: Apache-2.0
// A widget that has but a sentence why something is unknown is as small as that: what is beside it has its room until
// there is something to show. So is a drawing that can be no higher, which says in data-most how
// high it is. Tabs stay where they are, whichever is in front: only what stands alone gives room.
// Parts that people have sized stay as they are, and layouts are kept without it.
import { SPACING, TABS } from './layouts.js'

/** A place of Lumino's layout: tabs, or a split with parts.
 * @typedef {{
 *   tabBar?: {currentTitle: {owner: {node: HTMLElement}} | null, titles: readonly unknown[]},
 *   orientation?: string,
 *   children?: Node[],
 *   sizers?: {size: number, sizeHint: number}[],
 *   normalizeSizes?: () => void
 * }} Node */
/** Shares of a split: its own, those that were given it, and for which widgets. @typedef {{own: number[], given: number[], why: string, moved: boolean}} State */
/** @typedef {{width: number, height: number}} Size */

/** Pixels: a sentence beside others is so wide, and keeps so much below it. */
const WIDE = 300,
  BELOW = 10
/** A share that differs by more than this was moved by hand. */
const MOVED = 0.015
/** What a widget with something to show has. */
const SHOWS = 'table, svg, canvas, ol, ul, .cm-editor'

/** How high a widget is that has only words to say; null: it shows something. @param {HTMLElement} element @returns {number | null} */
function wordsOf(element) {
  if (!element.querySelector('p.unknown') || element.querySelector(SHOWS)) return null
  const top = element.getBoundingClientRect().top,
    parts = [...element.querySelectorAll('p, dl, .bar')]
  return Math.ceil(Math.max(...parts.map(one => one.getBoundingClientRect().bottom)) - top + BELOW)
}

/** How high a drawing is, with the bar and the sentences around it; null: it can be as high as there is room. @param {HTMLElement} element @returns {number | null} */
function drawingOf(element) {
  const most = Number(element.dataset.most)
  if (!most) return null
  const around = [...element.querySelectorAll('.bar, p')]
  return around.reduce((sum, one) => sum + Math.ceil(one.getBoundingClientRect().height), most)
}

/** Pixels that a part of a split needs where it has only words, or a drawing of a height, and no
 * other tabs; null: as many as it can have.
 * @param {Node} node
 * @param {'width' | 'height'} size */
function needOf({ tabBar }, size) {
  const element = tabBar?.titles.length === 1 ? tabBar.currentTitle?.owner.node : null,
    high = element ? (wordsOf(element) ?? (size === 'height' ? drawingOf(element) : null)) : null
  return high === null ? null : size === 'width' ? WIDE : high + TABS
}

/** Shares of parts, of which some need so many pixels alone; the others have the rest in the ratio of theirs. @param {number[]} own @param {(number | null)[]} needs @param {number} length @returns {number[]} */
export function sharesFor(own, needs, length) {
  const wanted = needs.map((need, i) => (need === null ? null : Math.min(own[i], need / length)))
  const taken = wanted.reduce((/** @type {number} */ sum, one) => sum + (one ?? 0), 0),
    others = own.reduce((sum, one, i) => sum + (needs[i] === null ? one : 0), 0)
  return wanted.map((one, i) => one ?? (own[i] / others) * (1 - taken))
}

export class Room {
  /** @type {WeakMap<Node, State>} */
  states = new WeakMap()

  /** Shares that a split has of itself; null: those of now. @param {Node | undefined} node */
  ownOf(node) {
    const state = node && this.states.get(node)
    return state && !state.moved ? state.own : null
  }

  /** Gives each part its room. @param {Node | null} node @param {Size} box @returns {boolean} whether a share has changed */
  fit(node, box) {
    const { children, sizers } = node ?? {}
    if (!node || !children || !sizers || children.length !== sizers.length) return false
    const size = node.orientation === 'horizontal' ? 'width' : 'height',
      length = box[size] - SPACING * (children.length - 1)
    const changed =
      length > 0 &&
      this.share(
        node,
        children.map(child => needOf(child, size)),
        length,
      )
    const sum = sizers.reduce((all, one) => all + one.size, 0) || 1,
      sizes = sizers.map(one => one.size / sum)
    return children.reduce(
      (any, child, i) => this.fit(child, { ...box, [size]: length * sizes[i] }) || any,
      changed,
    )
  }

  /** @param {Node} node @param {(number | null)[]} needs @param {number} length */
  share(node, needs, length) {
    const sizers = /** @type {NonNullable<Node['sizers']>} */ (node.sizers),
      some = needs.some(one => one !== null) && needs.includes(null)
    const why = some ? needs.map(one => (one === null ? '' : 'words')).join() : '',
      sum = sizers.reduce((all, one) => all + one.size, 0),
      state = this.states.get(node)
    if (!sum || (!some && !state)) return false
    const now = sizers.map(one => one.size / sum)
    if (
      state &&
      state.why === why &&
      (state.moved || now.some((one, i) => Math.abs(one - state.given[i]) > MOVED))
    ) {
      state.moved = true
      return false
    }
    const own = state && !state.moved ? state.own : now,
      given = some ? sharesFor(own, needs, length) : own
    if (some) this.states.set(node, { own, given, why, moved: false })
    else this.states.delete(node)
    if (given.every((one, i) => Math.abs(one - now[i]) < 0.001)) return false
    node.normalizeSizes?.()
    sizers.forEach((one, i) => {
      one.size = one.sizeHint = given[i]
    })
    return true
  }
}
