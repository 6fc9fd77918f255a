// SPDX-License-Identifier: Apache-2.0
// Tables of the scope that the page has. Those of a part of the run are what `nprof report --clip --from --to` says:
// the server runs it, which takes the time of its analyzers. They are of all tracks, as steps and devices need them all.
import { html, nothing } from '../lib/lit.js'
import { durationText } from '../base/time.js'
import { numberText } from '../base/values.js'
import { asked, rangeParams, saveWhole, waiting } from './frame.js'

/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('./frame.js').Answer} Answer */

/** With more rows than this a report takes so long that people say whether they want it. */
export const MOST_ROWS = 2_000_000

/** The times that the scope stands for; null: the whole run. @param {Session} session */
const rangeOf = session => session.rangeOf(session.scope.value)

/** Whether a report would take long, and nobody has asked for one. @param {Session} session */
const isLong = session => rangeOf(session) !== null && session.model.rows > MOST_ROWS && !session.patient.value

/** As `asked`, of the scope's range. @param {Session} session @param {() => import('./frame.js').Question | null} question */
export const askedOfScope = (session, question) => asked(session, () => {
  const one = question()
  return one && !isLong(session) ? { ...one, params: { ...one.params, ...rangeParams(session) } } : null
})

/** Downloads all rows of such an answer. @param {Session} session @param {string} name @param {any} data @param {import('./frame.js').Question} question @param {(data: any) => any} [finish] */
export const saveOfScope = (session, name, data, question, finish) => saveWhole(session, name, data, { ...question, params: { ...question.params, ...rangeParams(session) } }, finish)

/** What stands in place of an answer that is not there, or that is of the whole run where a part is wanted, and the other way. @param {Session} session @param {Answer} answer */
export function missing(session, answer) {
  if (isLong(session)) return html`<p class="unknown"><b>unknown:</b> analyzers read all ${numberText(session.model.rows)} rows of the profile to tell what is of a part of it. <button @click=${() => { session.patient.value = true }}>Work it out</button></p>`
  if (!answer.data || answer.data.unknown || answer.state === 'failed') return waiting(answer)
  return (answer.data.t0 === undefined) === (rangeOf(session) === null) ? nothing : html`<p class="muted" aria-busy="true">${answer.progress || 'asking'}…</p>`
}

/** Whether an answer is of the range before: it is shown faint until the next one comes. @param {Session} session @param {Answer} answer */
export function isPast(session, { data }) {
  const range = rangeOf(session)
  return Boolean(range && data?.t0 !== undefined && (data.t0 !== String(range.t0) || data.t1 !== String(range.t1)))
}

/** What the bar of such a widget says of its scope. @param {Session} session */
export function scopeNote(session) {
  const range = rangeOf(session)
  if (session.scope.value === 'whole') return ''
  return range ? durationText(range.t1 - range.t0) + ' of all tracks' : 'nothing is selected: whole run'
}

/** The command that prints such tables. @param {Session} session @param {string} command */
export const scopeCommand = (session, command) => session.commandBetween(command, rangeOf(session))
