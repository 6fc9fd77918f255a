// SPDX-License-Identifier: Apache-2.0
// Search over the whole profile: fields as chips, hits as rows; the same hits are ticks on the strip and pages
// of Details.
import { html, nothing } from '../lib/lit.js'
import { durationText, nsText } from '../base/time.js'
import { shellText } from '../base/session.js'
import { strangers, wordsOf } from '../base/hits.js'
import { fieldsHint } from '../base/sought.js'
import { counted } from '../base/values.js'
import { allHits, bar, live, saveCsv } from './frame.js'
import { gridTemplate } from './grid.js'

/** @typedef {import('../base/element.js').FieldEvent} FieldEvent */
/** @typedef {import('./dock.js').Page} Page */

/** More regions cover the lanes, and none of them can be told from another. */
const MOST_MARKED = 200

/** @type {import('./dock.js').Mount} */
export const search = (element, page) => {
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
    const shown = longestFirst(hits?.hits ?? []),
      rows = shown.map(hit => [
        hit.name,
        nsText(BigInt(hit.start) - zero) + ' ns',
        hit.duration === null ? null : durationText(BigInt(hit.duration)),
        session.model.nameOf(hit.track),
      ])
    return html`${bar({
      scoped: 'whole: a search looks at all of the profile',
      left: html`<input type="search" class="wide" aria-label="Search" placeholder=${fieldsHint(session.fields)} .value=${session.query.value} @change=${(
        /** @type {FieldEvent} */ event,
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
                selected?.kind === 'event' && selected.row === shown[i].row ? 'current' : '',
              onRow: (_row, i) =>
                session.select({ kind: 'event', row: shown[i].row }, { reveal: true }),
            })
          : html`<p class="pad muted">Words, or fields: ${fieldsHint(session.fields)}. Fields are ${session.fields.join(', ')}.</p>`
      }`
  })
}

/** @typedef {{row: string, name: string, start: string, duration: string | null, track: number}} Hit */

/** @param {Hit[]} hits */
const longestFirst = hits => [...hits].sort((a, b) => Number(b.duration) - Number(a.duration))

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
      field,
      i,
    ) => html`<span class="chip">${field.field ? field.field + ' ' + field.op + ' ' : ''}${field.value}
    <button class="quiet" aria-label=${'Remove ' + field.value} @click=${() => {
      session.query.value = wordsOf(session.query.value)
        .filter((_, k) => k !== i)
        .join(' ')
    }}>×</button></span>`,
  )}</div>`
}
