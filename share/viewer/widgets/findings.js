// SPDX-License-Identifier: Apache-2.0
// Findings: sentences with numbers, each with the rule that made it and a link to what proves it.
import { html, nothing } from '../lib/lit.js'
import { bar, live, metricSpan, saveCsv } from './frame.js'

/** @typedef {import('./dock.js').Page} Page */

/** What breaks the rules as well, and is not among the findings. @param {any[]} leftOut */
export const countOf = leftOut => leftOut.reduce((sum, one) => sum + Number(one.count), 0)

/** @param {Page} page */
const leftOutTemplate = page => {
  const leftOut = page.session.profile.findings_left_out
  if (!leftOut.length) return nothing
  return html`<p class="pad muted">Left out: ${leftOut.map((/** @type {any} */ one) => html`<button class="quiet" title=${'Opens what has them: ' + (one.widget || one.table)} @click=${() => openWidget(page, one)}>${one.rule} ${one.count}</button> `)}</p>`
}

/** @type {import('./dock.js').Definition} */
export const findings = {
  id: 'findings',
  title: 'Findings',
  help: 'What stands out, ranked by the time at stake, with rule and evidence',
  mount: (element, page) => live(element, () => html`${bar(page.session, { command: page.session.commandFor('report'), csv: page.session.profile.findings.length ? () => saveCsv('findings', ['rule', 'threshold', 'text', 'detail', 'at_stake', 'unit', 'more'], page.session.profile.findings.map((/** @type {any} */ one) => [one.rule, one.threshold, one.text, one.detail, one.at_stake?.value, one.at_stake?.unit, one.more])) : null })}
    <div class="scrolled"><ol class="findings">${page.session.profile.findings.map((/** @type {any} */ one) => html`<li>
      <p>${one.text} <button class="quiet" @click=${() => showFinding(page, one)}>Show</button></p>
      ${one.detail ? html`<p>${one.detail}</p>` : nothing}
      <p class="muted">rule ${one.rule}${one.threshold ? ': ' + one.threshold : ''}${one.at_stake?.value === null || !one.at_stake ? nothing : html` · at stake ${metricSpan(one.at_stake)}`}</p></li>`)}</ol>
    ${leftOutTemplate(page)}
    ${page.session.profile.findings.length ? nothing : html`<p class="pad muted">No rule found anything that stands out.</p>`}</div>`),
}

/** Goes to what proves a finding: its rows, its times, its table. @param {Page} page @param {any} finding */
export async function showFinding(page, finding) {
  const { session } = page, { t0, t1, rows, table } = finding.evidence ?? {}
  if (rows?.length) await session.select({ kind: 'event', row: rows[0] }, { reveal: true })
  if (t0 !== null && t0 !== undefined && t1 !== null && t1 !== undefined) {
    session.showSpan(BigInt(t0), BigInt(t1))
    if (!rows?.length) await session.select({ kind: 'area', t0: BigInt(t0), t1: BigInt(t1), tracks: [] })
  }
  openWidget(page, { widget: finding.widget, table })
}

/** Opens the widget of a rule, or the table that it looks at. @param {Page} page @param {{widget: string, table: string}} rule */
function openWidget(page, { widget, table }) {
  if (widget) page.open(widget)
  else if (table) page.open('table:' + table)
}
