// SPDX-License-Identifier: Apache-2.0
// Tables of the scope that the page has. Those of a part of the run are what `nprof report --clip --from --to` says:
// the server runs it, which takes the time of its analyzers. They are of all tracks, as steps and devices need them all; tables
// of rows alone, such as operators, are of the tracks and groups of an area, too: `rows` says so.
import { html, nothing } from '../lib/lit.js'
import { durationText } from '../base/time.js'
import { shellText } from '../base/session.js'
import { numberText } from '../base/values.js'
import { asked, rangeParams, saveWhole, scopeOf, scopeParams, waiting } from './frame.js'

/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('./frame.js').Below} Below */

/** With more rows than this a report takes so long that people say whether they want it. */
export const MOST_ROWS = 2_000_000

/** A page whose scope is that of lists of places. @template {{session: Session}} P @param {P} page @returns {P} */
export const ofPlaces = page => ({
  ...page,
  session: Object.create(page.session, { scope: { value: page.session.listed } }),
})

/** The times that the scope stands for; null: the whole run. @param {Session} session */
const rangeOf = session => session.rangeOf(session.scope.value)

/** Whether what analyzers say of a part of the run is asked for: it takes long with many rows, and then somebody must want it. @param {Session} session */
export const isCounted = session => session.model.rows <= MOST_ROWS || session.patient.value

/** Whether a report would take long, and nobody has asked for one. @param {Session} session */
const isLong = session => rangeOf(session) !== null && !isCounted(session)

/** What stands in place of an answer that was not asked for, as it takes long. @param {Session} session */
export const tooMany = session =>
  isCounted(session)
    ? nothing
    : html`<p class="unknown"><b>unknown:</b> analyzers read all ${numberText(session.model.rows)} rows of the profile to tell what is of a part of it. <button @click=${() => {
        session.patient.value = true
      }}>Work it out</button></p>`

/** A table of rows alone. */
export const ROWS = true

/** @param {Session} session @param {boolean} rows */
const params = (session, rows) => (rows ? scopeParams(session) : rangeParams(session))

/**
 * As `asked`, of the scope's range, and of its tracks and groups with `rows`.
 * @template {keyof Below} Route @param {Session} session
 * @param {() => import('./frame.js').Question<Route> | null} question @param {boolean} [rows]
 */
export const askedOfScope = (session, question, rows = false) =>
  asked(session, () => {
    const one = question()
    return one && !isLong(session)
      ? { ...one, params: { ...one.params, ...params(session, rows) } }
      : null
  })

/**
 * Downloads all rows of such an answer.
 * @template {import('./frame.js').TableRoute} Route @param {Session} session @param {string} name
 * @param {import('./frame.js').Sheet & {total: number}} data
 * @param {import('./frame.js').Question<Route>} question
 * @param {(data: import('./frame.js').To<Route>) => import('./frame.js').Sheet} [finish]
 * @param {boolean} [rows]
 */
export const saveOfScope = (session, name, data, question, finish, rows = false) =>
  saveWhole(
    session,
    name,
    data,
    { ...question, params: { ...question.params, ...params(session, rows) } },
    finish,
  )

/** What leads on where a part of the run has nothing to tell. @param {Session} session */
export const runButton = session =>
  rangeOf(session)
    ? html`<p class="pad"><button @click=${() => session.lookAtWhole()}>Look at the whole run</button></p>`
    : nothing

/**
 * What stands in place of an answer that is not there, or that is of the whole run where a part is
 * wanted, and the other way.
 * @param {Session} session
 * @param {import('./frame.js').Answer<import('../base/answers.d.ts').Lacking>} answer
 * @param {boolean} [tells] whether the widget itself shows an answer that is unknown
 */
export function missing(session, answer, tells = false) {
  if (isLong(session)) return tooMany(session)
  if (!answer.data || (answer.data.unknown && !tells) || answer.state === 'failed')
    return waiting(answer)
  return scopeOf(session, answer) !== 'other'
    ? nothing
    : html`<p class="muted" aria-busy="true">${answer.progress || 'asking'}…</p>`
}

/** What the bar of such a widget says of its scope. @param {Session} session @param {import('../base/session.js').Chosen} [chosen] tracks and groups that it looks at */
export function scopeNote(session, chosen = { tracks: [] }) {
  const range = rangeOf(session)
  if (session.scope.value === 'whole')
    return session.scope === session.listed && session.chosenScope() !== 'whole'
      ? 'of the whole run; v keeps it to a part'
      : ''
  if (range) return durationText(range.t1 - range.t0) + ' of ' + session.chosenText(chosen)
  return (
    (session.selection.value
      ? 'an event is no range of times (R makes it one)'
      : 'nothing is selected') + ': whole run'
  )
}

/** The command that prints such tables with all rows and columns, as the server has them made: with the analyzers' options of this profile. @param {Session} session @param {string[]} tables @param {boolean} [rows] */
export function tablesCommand(session, tables, rows = false) {
  const origins = new Set(
    session.profile.tables.map(one => one.origin).filter(origin => origin.includes(':')),
  )
  return session.commandBetween(
    [
      'report --full --top 0',
      ...[...origins].map(one => '-a ' + shellText(one)),
      '--only ' + tables.join(','),
    ].join(' '),
    rangeOf(session),
    rows ? session.chosenOf(session.scope.value) : undefined,
  )
}
