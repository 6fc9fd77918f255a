// SPDX-License-Identifier: Apache-2.0
// Markers as the server keeps them, and as an address has those that nobody saved: times are decimal picoseconds; and
// what lies between two of them.
import { get } from './api.js'

/** @typedef {import('./session.js').Marker} Marker */

/** @param {Marker[]} markers */
export const dataOf = markers => ({
  markers: markers.map(one => ({
    ...one,
    t: String(one.t),
    range: one.range === null ? null : String(one.range),
  })),
})

/** @param {import('./answers.d.ts').Annotations} data @returns {Marker[]} */
export const markersOf = data =>
  data.markers.map(one => ({
    ...one,
    t: BigInt(one.t),
    range: one.range === null || one.range === undefined ? null : BigInt(one.range),
  }))

/** @param {import('./session.js').Session} session @param {string} name of a set that the server keeps */
export const readSet = async (session, name) =>
  markersOf((await get(`p/${session.id}/annotations/${encodeURIComponent(name)}`)).data)

/** What lies between a marker and what it is compared with. `isChosen`: people chose the two. @typedef {{id: string, t0: bigint, t1: bigint, key: string, delta: bigint, isChosen: boolean}} Pair */

/** What a marker is compared with: what people chose, else its own end, else the marker before it. @param {Marker[]} markers by time @returns {Pair[]} */
export function pairsOf(markers) {
  const byId = new Map(markers.map(one => [one.id, one]))
  return markers.flatMap((marker, i) => {
    const chosen = byId.get(marker.versus ?? ''),
      a = chosen ? chosen.t : (marker.range ?? markers[i - 1]?.t)
    if (a === undefined || a === marker.t) return []
    const t0 = a < marker.t ? a : marker.t,
      t1 = a < marker.t ? marker.t : a
    return [
      {
        id: marker.id,
        t0,
        t1,
        key: t0 + '..' + t1,
        delta: marker.t - a,
        isChosen: chosen !== undefined,
      },
    ]
  })
}

/** Pairs that the timeline shades: the two markers of a set of two, else those that people chose to compare, for all
 * neighbours of many would shade the whole run. Ranges have shades of their own. @param {Marker[]} markers by time */
export function comparedOf(markers) {
  const two = markers.length === 2 && markers.every(one => one.range === null)
  return [
    ...new Map(
      pairsOf(markers)
        .filter(pair => two || pair.isChosen)
        .map(pair => [pair.key, pair]),
    ).values(),
  ]
}
