// SPDX-License-Identifier: Apache-2.0
// What every widget has: a bar with its scope, CSV and "Copy as command", answers that are asked again when what
// they depend on moves, and "unknown" with its reason.
import { effect, html, nothing, render, signal } from '../lib/lit.js'
import { query, sentences } from '../base/api.js'
import { copy, download } from '../base/element.js'
import { isOneFile } from '../base/packed.js'
import { metricText, tinyText } from '../base/values.js'

/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('../base/values.js').Metric} Metric */
/** @typedef {import('../base/api.js').Params} Params */
/** @typedef {import('../base/api.js').How} How */
/** @typedef {import('../base/answers.d.ts').Below} Below */
/** @template {string} Route @typedef {import('../base/answers.d.ts').To<Route>} To */
/** @typedef {import('../base/answers.d.ts').Sheet} Sheet */
/**
 * Routes whose answer is a table.
 * @typedef {import('../base/answers.d.ts').TableRoute} TableRoute
 */

/**
 * `of` is the question that `data` answers.
 * @template [Data=Below[keyof Below]]
 * @typedef {{state: 'asking' | 'done' | 'failed', data: Data | null, of?: Question, error:
 *   import('../base/api.js').ApiError | null, progress: string}} Answer
 */

/**
 * @template {string} [Route=string] @typedef {{route: Route, params?: Params}} Question
 */

const SETTLE = 120

/**
 * Renders a template whenever a signal that it reads changes. @param {HTMLElement} element @param {() => unknown} template
 */
export const live = (element, template) =>
  effect(() => {
    render(template(), element)
  })

/**
 * Asks a route whenever what `params` reads has changed and rested for a moment. Null asks nothing; what was asked last is
 * not asked again, but for what failed while the server was away.
 * @template {string} Route
 * @param {{ask: (route: Route, params: Params, how: How) => Promise<To<Route>>}} session
 * @param {() => Question<Route> | null} params
 */
export function asked(session, params) {
  const answer = signal(
    /** @type {Answer<To<Route>>} */ ({
      state: 'asking',
      data: null,
      error: null,
      progress: '',
    }),
  )
  /** @type {AbortController | null} */
  let control = null
  let timer = 0,
    first = true,
    last = '',
    again = () => {}
  const stop = effect(() => {
    const what = params(),
      question = what ? what.route + query(what.params ?? {}) : ''
    if (what && question === last) return
    last = question
    clearTimeout(timer)
    control?.abort()
    if (!what) return
    const mine = (control = new AbortController())
    const ask = () =>
      session
        .ask(what.route, what.params ?? {}, {
          signal: mine.signal,
          progress: job => {
            answer.value = { ...answer.value, state: 'asking', progress: job.stage }
          },
        })
        .then(data => {
          answer.value = { state: 'done', data, of: what, error: null, progress: '' }
        })
        .catch(error => {
          if (!mine.signal.aborted)
            answer.value = { state: 'failed', data: null, error, progress: '' }
        })
    again = ask
    if (first) ask()
    else timer = window.setTimeout(ask, SETTLE)
    first = false
  })
  const onBack = () => {
    if (answer.peek().state === 'failed') again()
  }
  document.addEventListener('nprof-back', onBack)
  return {
    answer,
    dispose: () => {
      stop()
      clearTimeout(timer)
      control?.abort()
      document.removeEventListener('nprof-back', onBack)
    },
  }
}

/** The sentence in place of what is not known. @param {string} reason */
export const unknown = reason => html`<p class="unknown"><b>unknown:</b> ${reason}</p>`

/**
 * The same, and what to record for a question of `nprof doctor`.
 * @param {Session} session @param {string} question @param {string} reason
 */
export function untold(session, question, reason) {
  const record = session.profile.record[question]
  return html`${unknown(reason)}${record ? html`<p class="tells"><b>what would tell:</b> ${record}</p>` : ''}`
}

/** What failed, with what asks for it once more; a saved page has nobody to ask, which is no failure. @param {import('../base/api.js').ApiError} error @param {() => unknown} again */
export const failure = (error, again) =>
  isOneFile
    ? html`<p class="muted">${sentences(error)}</p>`
    : html`<p class="failed" role="alert"><span>${sentences(error)}</span> <button @click=${again}>Ask again</button></p>`

/** What failed is asked for once more. */
const askAgain = () => document.dispatchEvent(new CustomEvent('nprof-back'))

/**
 * What to show while there is no answer; nothing when there is one.
 * @param {Answer<object>} answer
 */
export function waiting(answer) {
  if (answer.state === 'failed' && answer.error)
    return html`<div class="pad">${failure(answer.error, askAgain)}</div>`
  if (answer.state === 'asking' && !answer.data)
    return html`<p class="muted" aria-busy="true">${answer.progress || 'asking'}…</p>`
  const { unknown: why } = /** @type {{unknown?: string}} */ (answer.data ?? {})
  if (why) return unknown(why)
  return nothing
}

/** A metric among others, with its source; unknown says why. @param {Metric | null | undefined} metric */
export function metricSpan(metric) {
  if (!metric) return html`<span class="unknown">unknown</span>`
  if (metric.value === null)
    return html`<span class="unknown" tabindex="0" title=${metric.reason} aria-label=${'unknown: ' + metric.reason}>unknown</span>`
  return html`<span title=${[tinyText(metric.value, metric.unit), metric.source].filter(Boolean).join('; ') || nothing}>${metricText(metric)}</span>`
}

/** @type {Record<import('../base/session.js').Scope, string>} */
export const SCOPES = {
  whole: 'Whole run',
  window: 'Window',
  selection: 'Selection',
  pinned: 'Pinned',
}

/** Where a question makes no sense of the part that the page looks at: "whole", or such, and why. @param {string} text */
const fixedScope = text =>
  html`<span class="chip keep scope" title=${'Scope: ' + text}>${text}</span>`

/**
 * The bar on top of a widget. @param {{left?: unknown, scoped?: string, csv?: (() => void) | null, command?: string, filtered?: boolean, note?: string}} parts scoped: a text says why the scope is always that; filtered: the command prints rows that are hidden here
 */
export function bar(parts) {
  return html`<div class="bar">${parts.scoped ? fixedScope(parts.scoped) : nothing}${parts.left ?? nothing}<span class="gap"></span>
    ${parts.note ? html`<span class="muted told" title=${parts.note}>${parts.note}</span>` : nothing}
    ${parts.csv ? html`<button class="quiet" title="Download as CSV" @click=${parts.csv}>CSV</button>` : nothing}
    ${parts.command ? html`<button class="quiet" title=${'Copy as command: ' + parts.command + (parts.filtered ? '\n# prints all rows: what is filtered here is no option of it' : '')} @click=${() => copy(parts.command ?? '', 'command')}>cmd</button>` : nothing}
  </div>`
}

/** One field of a CSV line. @param {unknown} value */
const field = value => {
  const text = value === null || value === undefined ? '' : String(value)
  return /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text
}

/** @param {string[]} head @param {unknown[][]} rows */
const csvText = (head, rows) =>
  [head, ...rows].map(row => row.map(field).join(',')).join('\n') + '\n'

/** Downloads rows as CSV. @param {string} name of the file @param {string[]} head @param {unknown[][]} rows */
export const saveCsv = (name, head, rows) =>
  download(name + '.csv', csvText(head, rows), 'text/csv')

/** The same of an answer that is a table. @param {string} name @param {{columns: {name: string}[], rows: unknown[][]}} table */
export const saveTable = (name, table) =>
  saveCsv(
    name,
    table.columns.map(column => column.name),
    table.rows,
  )

const MOST_ROWS = 10000 // of an answer

/**
 * The same with all rows, also those that the widget does not show. `data` is what it shows, and
 * `question` asked for that; `finish` adds what the route does not answer.
 * @template {TableRoute} Route @param {Session} session @param {string} name
 * @param {Sheet & {total: number}} data @param {Question<Route>} question
 * @param {(data: To<Route>) => Sheet} finish
 */
export async function saveWhole(session, name, data, question, finish = data => data) {
  if (data.rows.length >= data.total) return saveTable(name, data)
  /** @type {To<Route> | null} */
  let part = null
  /** @type {import('../base/answers.d.ts').Row[]} */
  const rows = []
  for (; !part || (rows.length < part.total && part.rows.length); rows.push(...part.rows))
    part = await session.ask(question.route, {
      ...question.params,
      offset: rows.length,
      n: MOST_ROWS,
    })
  saveTable(name, finish({ ...part, rows }))
}

/**
 * All hits of a search, also those that a widget does not show.
 * @param {Session} session @param {import('../base/api.js').Params} params of route q
 */
export async function allHits(session, params) {
  /** @type {import('../base/answers.d.ts').Hit[]} */
  const hits = []
  for (
    let part = /** @type {Below['q'] | null} */ (null);
    !part || (part.hits.length && hits.length < part.total);
    hits.push(...part.hits)
  )
    part = await session.ask('q', {
      ...params,
      n: MOST_ROWS,
      after: hits[hits.length - 1]?.row ?? null,
    })
  return hits
}

/** t0 and t1 of the scope that the page has, for a route. @param {Session} session */
export function rangeParams(session) {
  const range = session.rangeOf(session.scope.value)
  return { t0: range?.t0 ?? null, t1: range?.t1 ?? null }
}

/** t0, t1, and tracks or parts of the scope that the page has, for a route. @param {Session} session */
export function scopeParams(session) {
  const { tracks, parts } = session.chosenOf(session.scope.value)
  return {
    ...rangeParams(session),
    tracks: parts ? null : tracks.join(',') || null,
    parts: parts ?? null,
  }
}

/**
 * Of which scope an answer is, by what its question said of times, tracks and groups: that of now,
 * a part that was looked at before, or the whole run where a part is wanted, and the other way.
 * @param {Session} session @param {Pick<Answer<object>, 'of'>} answer
 * @returns {'now' | 'past' | 'other'}
 */
export function scopeOf(session, { of }) {
  const then = of?.params ?? {},
    now = /** @type {import('../base/api.js').Params} */ (scopeParams(session))
  if ('t0' in then && (then.t0 === null) !== (now.t0 === null)) return 'other'
  return Object.keys(now).every(key => !(key in then) || then[key] === now[key]) ? 'now' : 'past'
}
