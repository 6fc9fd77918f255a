// SPDX-License-Identifier: Apache-2.0
// Rows of some groups of some tracks, which an area over a grouped timeline selects: parameter `parts` of the routes,
// "layer:0-2@5,7;3@5", what people read of it, and the options of a command that selects the same rows.
import { groupText } from '../timeline/groups.js'
import { ranges } from '../timeline/tiles.js'
import { quoted } from './conditions.js'
import { counted } from './values.js'

/** @typedef {import('../timeline/model.js').Model} Model */
/** @typedef {import('../timeline/model.js').Node} Node */
/** @typedef {[number, number]} Part group, track */
/** @typedef {{groups: number[], tracks: number[]}} PartSet rows of each of these groups on each of these tracks */

/** Parts of the rows of a node and of all below. @param {Node} node @returns {Part[]} */
export function partsBelow(node) {
  const own = /** @type {Part[]} */ (
    node.track && node.group !== undefined && node.lanes.length
      ? [[node.group, node.track.track]]
      : []
  )
  return [...own, ...node.children.flatMap(partsBelow)]
}

/** Groups with the same tracks are one set. @param {string} by @param {Part[]} parts */
export function partsText(by, parts) {
  /** @type {Map<number, number[]>} */
  const tracks = new Map()
  for (const [group, track] of parts) tracks.set(group, [...(tracks.get(group) ?? []), track])
  /** @type {Map<string, number[]>} */
  const sets = new Map()
  for (const [group, own] of tracks)
    sets.set(ranges(own), [...(sets.get(ranges(own)) ?? []), group])
  return by + ':' + [...sets].map(([own, groups]) => ranges(groups) + '@' + own).join(';')
}

/** @param {string} text "3-5,9" */
const numbers = text =>
  text.split(',').flatMap(part => {
    const [from, to = from] = part.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, i) => from + i)
  })

/** @param {string} text @returns {{by: string, sets: PartSet[]} | null} null: it is none, as in an address that somebody changed */
export function readParts(text) {
  if (
    !/^(category|layer|step):\d+(-\d+)?(,\d+(-\d+)?)*@\d+(-\d+)?(,\d+(-\d+)?)*(;\d+(-\d+)?(,\d+(-\d+)?)*@\d+(-\d+)?(,\d+(-\d+)?)*)*$/.test(
      text,
    )
  )
    return null
  const [by, rest] = text.split(':')
  return {
    by,
    sets: rest.split(';').map(set => {
      const [groups, tracks] = set.split('@').map(numbers)
      return { groups, tracks }
    }),
  }
}

/** @param {string} text @returns {Part[]} */
export const partsOf = text =>
  (readParts(text)?.sets ?? []).flatMap(({ groups, tracks }) =>
    groups.flatMap(group => tracks.map(track => /** @type {Part} */ ([group, track]))),
  )

/** @param {string} text @returns {number[]} */
export const tracksOfParts = text =>
  [...new Set(partsOf(text).map(([, track]) => track))].sort((a, b) => a - b)

/** Such as "step 3, step 4". @param {string} text @param {import('../timeline/groups.js').Answer | null} answer of route groups */
export function groupsText(text, answer) {
  const found = readParts(text),
    groups = [...new Set(found?.sets.flatMap(set => set.groups))].sort((a, b) => a - b)
  return answer
    ? groups.map(group => groupText(answer.by, answer.groups[group]?.name ?? null)).join(', ')
    : counted(groups.length, 'group')
}

/** What an output calls the track. @param {import('../timeline/model.js').Track | undefined} track */
const nameOf = track => (track ? track.label || track.key : '')

/** A condition; a name that is more than plain words, such as one that ends in a space, stands in quotes. @param {string} key @param {string} name */
const is = (key, name) =>
  key + '=' + (/^([\w.:/-]+( (?!and |or |not )[\w.:/-]+)*)?$/.test(name) ? name : quoted(name))

/** Conditions that the rows of a track meet and those of no other. @param {Model} model @param {number} track */
function trackConditions(model, track) {
  const path = model.pathOf(track),
    process = path.findLast(one => one.kind === 'process' || one.kind === 'device')
  return [is('process', nameOf(process)), is('thread', nameOf(path[path.length - 1]))]
}

/** Tracks with rows of the file that are of a group. @param {Model} model @param {import('../timeline/groups.js').Group} group */
function tracksOfGroup(model, group) {
  const own = group.lanes
    .map(([lane]) => model.tracks.get(model.lanes.get(lane)?.track ?? -1))
    .filter(track => track?.origin === 'decoder')
  return [...new Set(own.map(track => track?.track ?? -1))]
}

/** A list of conditions for each alternative, as the server asks its own reports: a group on all tracks that it is on is one. @param {Model} model @param {string} text @param {import('../timeline/groups.js').Answer} answer of route groups */
function partConditions(model, text, answer) {
  return (readParts(text)?.sets ?? []).flatMap(({ groups, tracks }) =>
    groups.flatMap(number => {
      const group = answer.groups[number],
        own = is(answer.by, group?.name ?? ''),
        there = group ? tracksOfGroup(model, group) : []
      const both = there.filter(track => tracks.includes(track))
      return both.length === there.length
        ? [[own]]
        : both.map(track => [...trackConditions(model, track), own])
    }),
  )
}

/** Options of a command that selects these rows; null: the groups are not known yet. @param {Model} model @param {{tracks: number[], parts?: string}} area @param {import('../timeline/groups.js').Answer | null} answer of route groups @returns {string[][] | null} conditions of each alternative */
export function conditionsOf(model, { tracks, parts }, answer) {
  if (!parts) return tracks.map(track => trackConditions(model, track))
  return answer && partConditions(model, parts, answer)
}
