// SPDX-License-Identifier: Apache-2.0
// Events that take longer than p99 of their name, and than twice its median. Sums of the whole run say which names
// have some, and a search finds them: all figures are those of the server.
import { quoted } from '../base/element.js'
import { nsText } from '../base/time.js'
import { ranges } from './tiles.js'

/** @typedef {import('../base/answers.d.ts').Hit} Hit */
/** @typedef {Pick<import('../base/answers.d.ts').Sum, 'name' | 'p99' | 'median' | 'max'>} Sum */

/** Names that are looked at, those whose longest event is the most above its median first; events of each. */
const MOST_NAMES = 50,
  MOST_EVENTS = 200

/** Times the longest event is as long as the median. @param {Sum} sum */
const excess = ({ max, median }) => Number(max) / Math.max(1, Number(median))

/** What an event of a name must last longer than. @param {Sum} sum @returns {bigint} */
export function limitOf({ p99, median }) {
  const [high, twice] = [BigInt(p99 ?? 0), 2n * BigInt(median ?? 0)]
  return high > twice ? high : twice
}

/** Those of the run, and whether there are more than are looked for. @param {import('../base/session.js').Session} session @returns {Promise<{hits: Hit[], more: boolean}>} */
export async function outliersOf(session) {
  const tracks = ranges([...session.model.tracks.keys()]),
    { rows, total } = await session.ask('s', { by: 'name', n: 1000, percentiles: 1, tracks })
  const names = rows
    .filter(sum => sum.max !== null && BigInt(sum.max) > limitOf(sum))
    .sort((a, b) => excess(b) - excess(a))
  const found = await Promise.all(
    names.slice(0, MOST_NAMES).map(sum =>
      session.ask('q', {
        q: 'name=' + quoted(sum.name ?? '') + ' kind=span dur>' + nsText(limitOf(sum), '') + 'ns',
        n: MOST_EVENTS,
      }),
    ),
  )
  const more =
    total > rows.length ||
    names.length > MOST_NAMES ||
    found.some(({ hits, total: all }) => hits.length < all)
  return { hits: found.flatMap(({ hits }) => hits), more }
}
