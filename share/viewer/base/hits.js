// SPDX-License-Identifier: Apache-2.0
// Hits of the search over the whole profile, which are asked for when it changes.
import { effect } from '../lib/lit.js'
import { withRest } from './rest.js'

export const HITS = 1000

/** @typedef {import('./answers.d.ts').Found} Found */

/**
 * Fields of a search that no row of the profile has, so that it finds nothing whatever the value
 * is.
 * @param {Found | null} hits @returns {string[]}
 */
export const strangers = hits =>
  (hits?.fields ?? []).filter(one => !one.known).map(one => one.field)

/** The words of a search; quotes hold together. @param {string} text */
export const wordsOf = text => text.match(/(?:[^\s"]|"(?:\\.|[^"\\])*")+/g) ?? []

/** Asks for hits whenever the search changes, and goes from hit to hit. @param {import('./session.js').Session} session */
export function runSearch(session) {
  let control = new AbortController(),
    timer = 0
  const stop = effect(() => {
    const q = session.query.value.trim()
    control.abort()
    clearTimeout(timer)
    if (!q) {
      session.hits.value = null
      return
    }
    const mine = (control = new AbortController())
    timer = window.setTimeout(
      () =>
        session
          .ask('q', { q: session.sought(q).q, n: HITS, pixels: 1024 }, { signal: mine.signal })
          .then(hits => {
            session.hits.value = { ...hits, q }
          })
          .catch(error => {
            if (!mine.signal.aborted)
              session.hits.value = { q, error, total: 0, hits: null, fields: [] }
          }),
      120,
    )
  })
  /** @param {Event} event */
  const onStep = event => {
    const { detail } = /** @type {CustomEvent} */ (event)
    const { by, tracks } = typeof detail === 'number' ? { by: detail, tracks: undefined } : detail
    withRest(({ stepHits }) => stepHits(session, by, tracks))
  }
  document.addEventListener('nprof-hit', onStep)
  return () => {
    stop()
    clearTimeout(timer)
    control.abort()
    document.removeEventListener('nprof-hit', onStep)
  }
}
