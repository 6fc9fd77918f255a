// SPDX-License-Identifier: Apache-2.0
// Latency: percentiles, histogram and durations over time of one name, or of two beside each other; without a name, the table of all.
import { html, nothing } from '../lib/lit.js'
import { durationText } from '../base/time.js'
import { columnAt, numberText } from '../base/values.js'
import { setting } from '../base/session.js'
import { currentRow, histogram, scatter } from './durations.js'
import { asked, bar, live, saveCsv, scopeOf, scopeParams, waiting } from './frame.js'
import { gridTemplate } from './grid.js'
import { ROWS, askedOfScope, missing, saveOfScope, tablesCommand } from './scoped.js'
import { choice } from './operators.js'

/** @typedef {import('../base/element.js').FieldEvent} FieldEvent */
/** @typedef {import('./dock.js').Page} Page */

/** Columns that come first: what a row is of, and what people compare; tracks and other figures
 * follow. */
const LEADING = ['name', 'calls', 'total_ns', 'share', 'median_ns', 'p99_ns', 'max_ns']

/** A table with these columns first. @param {Table} table @returns {Table} */
function led({ columns, rows, ...more }) {
  const place = (/** @type {number} */ i) =>
    LEADING.includes(columns[i].name) ? LEADING.indexOf(columns[i].name) : LEADING.length
  const order = [...columns.keys()].sort((a, b) => place(a) - place(b))
  return {
    ...more,
    columns: order.map(i => columns[i]),
    rows: rows.map(row => order.map(i => row[i])),
  }
}

/** Whether calls of a name take more than the time of their track. @param {Table} table */
const overlaps = ({ columns, rows }) =>
  rows.some(row => Number(row[columnAt(columns, 'share')]) > 1)

/** @type {import('./dock.js').Mount} */
export const latency = (element, page) => {
  const { session } = page
  const name = setting(session, 'latency.name', ''),
    scale = setting(session, 'latency.scale', 'log'),
    sort = setting(session, 'latency.sort', '-total_ns')
  const follows = setting(session, 'latency.follows', 'yes')
  const one = asked(session, () => {
    const event = session.details.value
    const chosen = (follows.value === 'yes' && event?.kind === 'span' && event.name) || name.value
    name.value = chosen
    return chosen
      ? {
          route: 'latency',
          params: { name: chosen, scale: scale.value, ...scopeParams(session), bins: 64 },
        }
      : null
  })
  const other = setting(session, 'latency.other', '')
  const two = asked(session, () =>
    name.value && other.value
      ? {
          route: 'latency',
          params: { name: other.value, scale: scale.value, ...scopeParams(session), bins: 64 },
        }
      : null,
  )
  const question = () => ({
    route: /** @type {const} */ ('table/latency'),
    params: { sort: sort.value, n: 200 },
  })
  const all = askedOfScope(session, question, ROWS)
  const ofAllNames = (/** @type {Table} */ { columns, rows, total }) =>
    gridTemplate({
      past: scopeOf(session, all.answer.value) === 'past',
      label: 'Latency of all names',
      called: session.names.called.value,
      columns: columns.map(one =>
        one.name === 'share' ? { ...one, title: 'share of track time' } : one,
      ),
      rows,
      total,
      offset: 0,
      sort: sort.value,
      onSort: next => {
        sort.value = next
      },
      share: 'share',
      onRow: row => {
        follows.value = 'no'
        name.value = String(row[columnAt(columns, 'name')])
      },
    })
  const stop = live(element, () => {
    const instead = missing(session, all.answer.value),
      table = instead === nothing ? all.answer.value.data : null
    return html`
      ${bar({
        note: table && overlaps(table) ? 'A share above 100 %: calls of that name overlap.' : '',
        command: tablesCommand(session, ['latency'], ROWS),
        csv: () =>
          save(
            session,
            [
              [name.value, one.answer.value.data],
              [other.value, two.answer.value.data],
            ],
            all.answer.value.data,
            question(),
          ),
        left: html`
        <input type="search" class=${other.value ? '' : 'wide'} aria-label="Name" placeholder="name of an operator" .value=${name.value} @change=${(
          /** @type {FieldEvent} */ event,
        ) => {
          follows.value = 'no'
          name.value = event.target.value
        }}>
        ${
          name.value
            ? html`<input type="search" aria-label="Beside it" placeholder="beside: another name" .value=${other.value} @change=${(
                /** @type {FieldEvent} */ event,
              ) => {
                other.value = event.target.value
              }}>`
            : nothing
        }${choice('Scale', ['log', 'lin'], scale)}
        <label class="chip keep"><input type="checkbox" .checked=${follows.value === 'yes'} @change=${(
          /** @type {FieldEvent} */ event,
        ) => {
          follows.value = event.target.checked ? 'yes' : 'no'
        }}> of the selected event</label>`,
      })}
      <div class="scrolled">${
        name.value && other.value
          ? twoNames(session, [
              [name.value, one.answer.value],
              [other.value, two.answer.value],
            ])
          : nothing
      }
      ${name.value ? oneName(page, one.answer.value, scale.value) : nothing}
      ${name.value && other.value ? html`<h2>${other.value}</h2>${oneName(page, two.answer.value, scale.value)}` : nothing}
      ${instead}
      ${table ? ofAllNames(led(table)) : nothing}</div>`
  })
  return () => {
    stop()
    one.dispose()
    two.dispose()
    all.dispose()
  }
}

/** @typedef {import('../base/answers.d.ts').Latency} Latency */
/** @typedef {import('../base/answers.d.ts').Table} Table */
/** @typedef {import('./frame.js').Answer<Latency>} Answer */

/**
 * Durations of the names that are shown, else the table of all.
 * @param {import('../base/session.js').Session} session
 * @param {[string, Latency | null][]} names each with its answer @param {Table | null} all
 * @param {import('./frame.js').Question<'table/latency'>} question
 */
function save(session, names, all, question) {
  const [[name, one]] = names
  if (name && one)
    saveCsv(
      'latency',
      ['name', 'row', 'start_ps', 'duration_ps'],
      names.flatMap(([of, data]) =>
        of && data ? data.scatter.map(dot => [of, dot.row, dot.start, dot.duration]) : [],
      ),
    )
  else if (all) saveOfScope(session, 'latency', all, question, undefined, ROWS)
}

/**
 * Figures of two names beside each other, of the scope of now.
 * @param {import('../base/session.js').Session} session @param {[string, Answer][]} names
 */
function twoNames(session, names) {
  const answers = names.map(([name, answer]) =>
    answer.of?.params?.name === name && scopeOf(session, answer) === 'now' ? answer.data : null,
  ) // not those of a name or a scope before
  const known = answers.filter(data => data !== null)
  if (known.length < answers.length) return nothing
  const columns = [
    { name: 'figure', type: 'string', unit: '' },
    ...names.map(([name], i) => ({ name: 'ab'[i], title: name, type: 'int64', unit: 'ps' })),
  ]
  const all = known.map(({ min, percentiles, max, mean }) => ({ min, ...percentiles, max, mean })),
    figures = /** @type {(keyof typeof all[0])[]} */ (Object.keys(all[0])),
    rows = figures.map(key => [key, ...all.map(data => data[key])])
  return gridTemplate({
    label: 'Two names',
    columns,
    rows: [...rows, ['count', ...known.map(data => data.count)]],
    total: rows.length + 1,
    offset: 0,
    sort: '',
    cell: (row, c) =>
      c && row[0] === 'count'
        ? html`<span title=${String(row[c])}>${numberText(Number(row[c]))}</span>`
        : null,
  })
}

/** @param {Page} page @param {Answer} answer @param {string} scale */
function oneName(page, answer, scale) {
  const { data } = answer
  if (!data) return waiting(answer)
  const { min, mean, max } = data
  return html`<dl class="totals"><div><dt>spans of this name</dt><dd>${numberText(data.count)}${data.unclosed ? html` <span class="muted">${data.unclosed} without end</span>` : nothing}</dd></div>
    ${Object.entries({ ...data.percentiles, min, mean, max }).map(([key, ps]) => html`<div><dt>${key}</dt><dd>${ps === null ? 'unknown' : durationText(BigInt(ps))}</dd></div>`)}</dl>
    <div class="charts">${histogram(data, { scale })}${scatter(data, { scale, zero: page.session.model.start, time: [0, Number(page.session.model.end - page.session.model.start)], current: currentRow(page.session), pick: one => pick(page, one) })}</div>
    ${
      data.outliers.length
        ? html`<h2>Outliers</h2><ul class="links">${data.outliers.slice(0, 50).map(
            one =>
              html`<li><a href="#" @click=${(/** @type {Event} */ event) => {
                event.preventDefault()
                pick(page, one)
              }}>${durationText(BigInt(one.duration))}</a></li>`,
          )}</ul>`
        : nothing
    }`
}

/** @param {Page} page @param {{row: string}} one */
const pick = (page, one) => page.session.select({ kind: 'event', row: one.row }, { reveal: true })
