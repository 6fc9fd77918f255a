// SPDX-License-Identifier: Apache-2.0
// Summary: what each device did, and the vendor's own metrics with their formulas. Numbers are cells of tables.
import { say } from '../base/element.js'
import { html, nothing } from '../lib/lit.js'
import { asked, bar, live, scopeOf, scopeParams, waiting } from './frame.js'
import { part, partTemplate } from './reports.js'
import { tablesCommand } from './scoped.js'
import { tablesOf, tablesThere } from './subjects.js'
import { askedFigures } from './selection.js'

/** @typedef {import('./dock.js').Page} Page */

/** Buttons, and the tables that they open with a filter. @type {[string, string[], string][]} */
const BUTTONS = [
  ['Input tensors', ['tensors'], 'usage = input'],
  ['Output tensors', ['tensors'], 'usage = output'],
  ['FLOP count', ['mfu', 'hlo_stats'], ''],
  ['Framework layers', ['layers', 'neff_layers'], 'layer != ""'],
]

/** @type {import('./dock.js').Mount} */
export const summary = (element, page) => {
  const { session } = page
  const there = tablesOf(page, 'summary')
  const parts = there.map(name => part(page, name))
  const sums = asked(session, () =>
    session.scope.value === 'whole'
      ? null
      : { route: 's', params: { ...scopeParams(session), n: 1 } },
  )
  const figures = askedFigures(session)
  const stop = live(
    element,
    () => html`
      ${bar({ left: BUTTONS.map(([text, names, filter]) => button(page, text, names, filter)), command: tablesCommand(session, there) })}
      <div class="scrolled">
        ${session.scope.value === 'whole' ? nothing : html`<h2>Current Selection Summary</h2>${waiting(sums.answer.value)}${sums.answer.value.data ? html`<div class=${scopeOf(session, sums.answer.value) === 'now' ? '' : 'past'}>${figures.totalsTemplate(sums.answer.value.data)}</div>` : nothing}`}
        ${parts.map(one => partTemplate(page, one))}
      </div>`,
  )
  return () => {
    stop()
    sums.dispose()
    figures.dispose()
    parts.forEach(one => one.dispose())
  }
}

/** Opens a table, or says that none of its rows is what was asked for. @param {Page} page @param {string} text @param {string} name @param {string} where */
async function openTable(page, text, name, where) {
  const { rows } = await page.session.ask(`table/${name}`, { where: where || null, n: 1 })
  if (rows.length) return page.open('table:' + name + (where && '@' + where))
  return say(text + ': the file names none.')
}

/** @param {Page} page @param {string} text @param {string[]} names @param {string} filter */
function button(page, text, names, filter) {
  const [found] = tablesThere(page, names)
  return html`<button class="quiet" ?disabled=${!found} title=${found ? 'Open table ' + found : 'unknown: the file states none'} @click=${() => found && openTable(page, text, found, filter)}>${text}</button>`
}
