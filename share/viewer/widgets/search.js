// SPDX-License-Identifier: Apache-2.0
// Search over the whole profile: fields as chips, hits as rows; the same hits are ticks on the strip and pages
// of Details.
import { html, nothing } from '../lib/lit.js'
import { durationText, nsText } from '../base/time.js'
import { shellText } from '../base/session.js'
import { fieldsHint } from '../base/sought.js'
import { counted } from '../base/values.js'
import { ranges } from '../timeline/tiles.js'
import { allHits, bar, live, saveCsv } from './frame.js'
import { gridTemplate } from './grid.js'

/** @typedef {import('./dock.js').Page} Page */

const HITS = 1000
/** More regions cover the lanes, and none of them can be told from another. */
const MOST_MARKED = 200

/** @type {import('./dock.js').Definition} */
export const search = {
  id: 'search',
  title: 'Search',
  help: 'Hits of the search over the whole profile',
  mount(element, page) {
    const { session } = page
    return live(element, () => {
      const hits = session.hits.value,
        selected = session.selection.value
      const columns = [
        { name: 'name', type: 'string', unit: '' },
        { name: 'start', type: 'string', unit: '' },
        { name: 'duration', type: 'string', unit: '' },
        { name: 'track', type: 'string', unit: '' },
      ]
      const zero = session.zero.value.t
      /** @type {any[][]} */
      const rows = (hits?.hits ?? []).map((/** @type {any} */ hit) => [
        hit.name,
        nsText(BigInt(hit.start) - zero) + ' ns',
        hit.duration === null ? null : durationText(BigInt(hit.duration)),
        session.model.nameOf(hit.track),
      ])
      return html`${bar({
        scoped: 'whole: a search looks at all of the profile',
        left: html`<input type="search" class="wide" aria-label="Search" placeholder=${fieldsHint(session.fields)} .value=${session.query.value} @change=${(
          /** @type {any} */ event,
        ) => {
          session.query.value = event.target.value
        }}>${hits?.hits?.length ? html`<button class="quiet" title=${'Makes a region of each hit, of at most ' + MOST_MARKED} @click=${() => session.addRegions(spansOf(hits.hits), 'hit')}>Mark</button>` : nothing}`,
        command: hits?.hits ? commandOf(session, hits) : '',
        note: hits?.hits
          ? counted(hits.total, 'hit') +
            (hits.exact ? '' : ' or more') +
            ' of ' +
            counted(hits.names, 'name')
          : '',
        csv: hits?.hits?.length ? () => save(session, hits.q) : null,
      })}
      ${chips(page)}
      ${hits?.error ? html`<p class="failed" role="alert">${hits.error.message}${hits.error.at === null ? '' : ' (character ' + (hits.error.at + 1) + ')'} ${hits.error.mend}</p>` : nothing}
      ${strangersTemplate(session)}
      ${
        hits?.hits
          ? gridTemplate({
              label: 'Hits',
              zero: session.zero.value.t,
              called: page.session.names.called.value,
              columns,
              rows,
              total: hits.total,
              offset: 0,
              sort: '',
              rowClass: (_row, i) =>
                selected?.kind === 'event' && selected.row === hits.hits[i].row ? 'current' : '',
              onRow: (_row, i) =>
                session.select({ kind: 'event', row: hits.hits[i].row }, { reveal: true }),
            })
          : html`<p class="pad muted">Words, or fields: ${fieldsHint(session.fields)}. Fields are ${session.fields.join(', ')}.</p>`
      }`
    })
  },
}

/** The first hits as spans; one without an end has no length. @param {{name: string, start: string, duration: string | null}[]} hits */
const spansOf = hits =>
  hits.slice(0, MOST_MARKED).map(hit => ({
    name: hit.name,
    t0: BigInt(hit.start),
    t1: BigInt(hit.start) + BigInt(hit.duration ?? 0),
  }))

/** Saves all hits, also those of pages that were not asked for. @param {import('../base/session.js').Session} session @param {string} q */
async function save(session, q) {
  saveCsv(
    'hits',
    ['row', 'name', 'start_ps', 'duration_ps'],
    (await allHits(session, { q: session.sought(q).q })).map(hit => [
      hit.row,
      hit.name,
      hit.start,
      hit.duration,
    ]),
  )
}

/** @typedef {{field: string, op: string, value: string}} Field of a search */

/** Fields of a search that no row of the profile has, so that it finds nothing whatever the value is. @param {any} hits @returns {string[]} */
export const strangers = hits =>
  (hits?.fields ?? [])
    .filter((/** @type {{known: boolean}} */ one) => !one.known)
    .map((/** @type {Field} */ one) => one.field)

/** Says so, and which fields there are. @param {import('../base/session.js').Session} session */
function strangersTemplate(session) {
  const none = strangers(session.hits.value)
  return none.length
    ? html`<p class="unknown"><b>unknown:</b> no row of this profile has a field ${none.join(', ')}. Rows have ${session.fields.join(', ')}.</p>`
    : nothing
}

/** The command that prints the hits of an answer to a search. @param {import('../base/session.js').Session} session @param {{where: string | null} | null} hits @param {import('../base/session.js').Scope} [scope] */
export const commandOf = (session, hits, scope) =>
  hits?.where
    ? session.commandFor(session.rowsCommand + ' --where ' + shellText(hits.where), scope)
    : ''

/** The fields of a search, each with a button that takes it away. @param {Page} page */
export function chips(page) {
  const { session } = page,
    fields = session.hits.value?.fields ?? []
  // Words without a field, and those that join conditions, have no chip.
  if (!fields.length || fields.length !== wordsOf(session.query.value).length) return nothing
  return html`<div class="chips">${fields.map(
    (
      /** @type {any} */ field,
      /** @type {number} */ i,
    ) => html`<span class="chip">${field.field ? field.field + ' ' + field.op + ' ' : ''}${field.value}
    <button class="quiet" aria-label=${'Remove ' + field.value} @click=${() => {
      session.query.value = wordsOf(session.query.value)
        .filter((_, k) => k !== i)
        .join(' ')
    }}>×</button></span>`,
  )}</div>`
}

/** The words of a search; quotes hold together. @param {string} text */
export const wordsOf = text => text.match(/(?:[^\s"]|"(?:\\.|[^"\\])*")+/g) ?? []

/** Asks for hits whenever the search changes, and goes from hit to hit. @param {import('../base/session.js').Session} session @param {typeof import('../lib/lit.js').effect} effect */
export function runSearch(session, effect) {
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
    if (typeof detail === 'number') step(session, detail)
    else step(session, detail.by, detail.tracks)
  }
  document.addEventListener('nprof-hit', onStep)
  return () => {
    stop()
    clearTimeout(timer)
    control.abort()
    document.removeEventListener('nprof-hit', onStep)
  }
}

/** @typedef {(hit: any) => boolean} Wanted */

/** Goes from hit to hit, of these tracks alone where some are of them. @param {import('../base/session.js').Session} session @param {number} by @param {number[]} [tracks] */
async function step(session, by, tracks) {
  const hits = await settled(session)
  if (!hits?.hits?.length) return
  const now = session.selection.value,
    at =
      now?.kind === 'event'
        ? hits.hits.findIndex((/** @type {any} */ hit) => hit.row === now.row)
        : -1
  const last = hits.hits.length - 1
  if (at === last && by > 0 && hits.hits.length < hits.total) {
    const more = await session.ask('q', {
      q: session.sought(session.query.value).q,
      n: HITS,
      after: hits.hits[last].row,
    })
    session.hits.value = { ...hits, hits: [...hits.hits, ...more.hits] }
  }
  const all = session.hits.value.hits,
    own = new Set(tracks),
    isThere = all.some((/** @type {any} */ hit) => own.has(hit.track))
  const row =
    tracks && !isThere && all.length < hits.total ? await rowBeyond(session, tracks) : null
  /** @type {Wanted} */
  const wanted = isThere ? hit => own.has(hit.track) : () => true
  const next = at < 0 ? firstOf(session, all, by, wanted) : nextOf(all, at, by, wanted)
  document.dispatchEvent(new CustomEvent('nprof-step'))
  session.select({ kind: 'event', row: row ?? all[next].row }, { reveal: true })
}

/** The next hit on these tracks, round and round, of which none has come yet; null: there is none. @param {import('../base/session.js').Session} session @param {number[]} tracks @returns {Promise<string | null>} its row */
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

/** Where to begin: with a hit in the window, where there is one. @param {import('../base/session.js').Session} session @param {any[]} hits @param {number} by @param {Wanted} wanted */
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

/** The next one, round and round. @param {any[]} hits @param {number} at @param {number} by @param {Wanted} wanted that one of them is */
function nextOf(hits, at, by, wanted) {
  do at = (at + by + hits.length) % hits.length
  while (!wanted(hits[at]))
  return at
}

/** The hits of the present search, when they have come. @param {import('../base/session.js').Session} session @returns {Promise<any>} */
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
