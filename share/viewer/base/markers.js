// SPDX-License-Identifier: Apache-2.0
// Markers as the server keeps them, and as an address has those that nobody saved: times are decimal picoseconds.
import { get } from './api.js'

/** @typedef {import('./session.js').Marker} Marker */

/** @param {Marker[]} markers */
export const dataOf = markers => ({ markers: markers.map(one => ({ ...one, t: String(one.t), range: one.range === null ? null : String(one.range) })) })

/** @param {any} data @returns {Marker[]} */
export const markersOf = data => data.markers.map((/** @type {any} */ one) => ({ ...one, t: BigInt(one.t), range: one.range === null || one.range === undefined ? null : BigInt(one.range) }))

/** @param {import('./session.js').Session} session @param {string} name of a set that the server keeps */
export const readSet = async (session, name) => markersOf((await get('p/' + session.id + '/annotations/' + encodeURIComponent(name))).data)
