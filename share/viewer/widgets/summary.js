// SPDX-License-Identifier: Apache-2.0
// Summary: what each device did, and the vendor's own metrics with their formulas. Numbers are cells of tables.
import { html, nothing, signal } from '../lib/lit.js'
import { asked, bar, live, scopeOf, scopeParams, waiting } from './frame.js'
import { askedOfScope, missing, saveOfScope, tablesCommand } from './scoped.js'
import { gridTemplate } from './grid.js'
import { askedFigures, totals } from './selection.js'

/** @typedef {import('./dock.js').Page} Page */

/** Buttons, and the tables that they open with a filter. @type {[string, string[], string][]} */
const BUTTONS = [['Input tensors', ['tensors'], 'usage = input'], ['Output tensors', ['tensors'], 'usage = output'], ['FLOP count', ['mfu', 'hlo_stats'], ''], ['Framework layers', ['layers', 'neff_layers'], '']]
const TABLES = ['devices', 'engines', 'categories', 'neuron_summary', 'inputs']

const question = (/** @type {string} */ name) => ({ route: 'table/' + name, params: { n: 500 } })

/** @type {import('./dock.js').Definition} */
export const summary = {
  id: 'summary',
  title: 'Summary',
  help: 'Busy, compute, communication, memory, MFU of each device; of the window: Current Selection Summary',
  mount(element, page) {
    const { session } = page
    const there = TABLES.filter(name => session.profile.tables.some((/** @type {any} */ one) => one.name === name && one.rows > 0))
    const parts = there.map(name => ({ name, sort: signal(''), ...askedOfScope(session, () => question(name)) }))
    const sums = asked(session, () => (session.scope.value === 'whole' ? null : { route: 's', params: { ...scopeParams(session), n: 1 } }))
    const figures = askedFigures(session)
    const stop = live(element, () => html`
      ${bar(session, { scoped: true, left: BUTTONS.map(([text, names, filter]) => button(page, text, names, filter)), command: tablesCommand(session, there) })}
      <div class="scrolled">
        ${session.scope.value === 'whole' ? nothing : html`<h3>Current Selection Summary</h3>${waiting(sums.answer.value)}${sums.answer.value.data ? html`<div class=${scopeOf(session, sums.answer.value) === 'now' ? '' : 'past'}>${totals(figures.totalsOf(sums.answer.value.data))}</div>` : nothing}`}
        ${parts.map(part => one(page, part))}
      </div>`)
    return () => { stop(); sums.dispose(); figures.dispose(); parts.forEach(part => part.dispose()) }
  },
}

/** @param {Page} page @param {string} text @param {string[]} names @param {string} filter */
function button(page, text, names, filter) {
  const found = names.find(name => page.session.profile.tables.some((/** @type {any} */ one) => one.name === name && one.rows > 0))
  return html`<button class="quiet" ?disabled=${!found} title=${found ? 'Open table ' + found : 'unknown: the file states none'} @click=${() => found && page.open('table:' + found + (filter && '@' + filter))}>${text}</button>`
}

/** @param {Page} page @param {{name: string, sort: import('../lib/lit.js').Signal<string>, answer: import('../lib/lit.js').Signal<import('./frame.js').Answer>}} part */
function one(page, part) {
  const { session } = page, { data } = part.answer.value, instead = missing(session, part.answer.value)
  const schema = session.profile.tables.find((/** @type {any} */ table) => table.name === part.name), shown = instead === nothing && data
  return html`<h3 title=${schema.note || nothing}><a href="#" @click=${(/** @type {Event} */ event) => { event.preventDefault(); page.open('table:' + part.name) }}>${schema.title}</a>
      ${shown ? html`<button class="quiet" @click=${() => saveOfScope(session, part.name, data, question(part.name))}>CSV</button>` : nothing}</h3>
    ${shown && data.note ? html`<p class="note">${data.note}</p>` : nothing}
    ${shown ? gridTemplate({ label: data.title, columns: data.columns, rows: data.rows, total: data.total, offset: 0, sort: part.sort.value, past: scopeOf(session, part.answer.value) === 'past', onSort: () => page.open('table:' + part.name), share: 'share', reasons: session.reasons.value }) : instead}`
}
