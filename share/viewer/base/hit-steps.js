// SPDX-License-Identifier: Apache-2.0
// From hit to hit of the search, of the whole profile or of some tracks.
import { ranges } from '../timeline/tiles.js'
import { HITS } from './hits.js'

/** @typedef {import('./answers.d.ts').Hit} Hit */
/** @typedef {(hit: Hit) => boolean} Wanted */

/** Goes from hit to hit, of these tracks alone where some are of them. @param {import('./session.js').Session} session @param {number} by @param {number[]} [tracks] */
export async function stepHits(session, by, tracks) {
  let hits = await settled(session)
  if (!hits?.hits?.length) return
  const now = session.selection.value,
    at = now?.kind === 'event' ? hits.hits.findIndex(hit => hit.row === now.row) : -1
  const last = hits.hits.length - 1
  if (at === last && by > 0 && hits.hits.length < hits.total) {
    const more = await session.ask('q', {
      q: session.sought(session.query.value).q,
      n: HITS,
      after: hits.hits[last].row,
    })
    hits = { ...hits, hits: [...hits.hits, ...more.hits] }
    session.hits.value = hits
  }
  const all = hits.hits,
    own = new Set(tracks),
    isThere = all.some(hit => own.has(hit.track))
  const row =
    tracks && !isThere && all.length < hits.total ? await rowBeyond(session, tracks) : null
  /** @type {Wanted} */
  const wanted = isThere ? hit => own.has(hit.track) : () => true
  const next = at < 0 ? firstOf(session, all, by, wanted) : nextOf(all, at, by, wanted)
  document.dispatchEvent(new CustomEvent('nprof-step'))
  session.select({ kind: 'event', row: row ?? all[next].row }, { reveal: true })
}

/** The next hit on these tracks, round and round, of which none has come yet; null: there is none. @param {import('./session.js').Session} session @param {number[]} tracks @returns {Promise<string | null>} its row */
async function rowBeyond(session, tracks) {
  const now = session.selection.value,
    row = now?.kind === 'event' ? now.row : '',
    lane = session.model.lanes.get(Number(row.split('.')[0]))
  const ask = async (/** @type {string | null} */ after) =>
    (
      await session.ask('q', {
        q: session.sought(session.query.value).q,
        n: 1,
        after,
        tracks: ranges(tracks),
      })
    ).hits[0]?.row ?? null
  return (lane && tracks.includes(lane.track) && (await ask(row))) || ask(null)
}

/**
 * Where to begin: with a hit in the window, where there is one.
 * @param {import('./session.js').Session} session @param {Hit[]} hits @param {number} by
 * @param {Wanted} wanted
 */
function firstOf(session, hits, by, wanted) {
  const { t0, t1 } = session.window.value
  const inside = hits.findIndex(
    hit => wanted(hit) && BigInt(hit.start) >= t0 && BigInt(hit.start) <= t1,
  )
  return inside >= 0
    ? inside
    : by > 0
      ? hits.findIndex(wanted)
      : hits.length - 1 - [...hits].reverse().findIndex(wanted)
}

/**
 * The next one, round and round.
 * @param {Hit[]} hits @param {number} at @param {number} by
 * @param {Wanted} wanted that one of them is
 */
function nextOf(hits, at, by, wanted) {
  do at = (at + by + hits.length) % hits.length
  while (!wanted(hits[at]))
  return at
}

/**
 * The hits of the present search, when they have come.
 * @param {import('./session.js').Session} session
 * @returns {Promise<import('./answers.d.ts').Found | null>}
 */
function settled(session) {
  const wanted = session.query.value.trim()
  const done = () => session.hits.value?.q === wanted
  if (done() || !session.query.value) return Promise.resolve(session.hits.value)
  return new Promise(resolve => {
    const stop = session.hits.subscribe(() => {
      if (done()) {
        setTimeout(() => stop?.())
        resolve(session.hits.value)
      }
    })
  })
}
