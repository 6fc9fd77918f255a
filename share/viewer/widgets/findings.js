// SPDX-License-Identifier: Apache-2.0
// Findings: sentences with numbers, each with the rule that made it and a link to what proves it.
import { html, nothing } from '../lib/lit.js'
import { bar, live, metricSpan, saveCsv } from './frame.js'

/** @typedef {import('./dock.js').Page} Page */

/** @type {import('./dock.js').Definition} */
export const findings = {
  id: 'findings',
  title: 'Findings',
  help: 'What stands out, ranked by the time at stake, with rule and evidence',
  mount: (element, page) => live(element, () => html`${bar(page.session, { command: page.session.commandFor('report'), csv: page.session.profile.findings.length ? () => saveCsv('findings', ['rule', 'threshold', 'text', 'at_stake', 'unit'], page.session.profile.findings.map((/** @type {any} */ one) => [one.rule, one.threshold, one.text, one.at_stake?.value, one.at_stake?.unit])) : null })}
    <div class="scrolled"><ol class="findings">${page.session.profile.findings.map((/** @type {any} */ one) => html`<li>
      <p>${one.text} <button class="quiet" @click=${() => showFinding(page, one)}>Show</button></p>
      <p class="muted">rule ${one.rule}${one.threshold ? ': ' + one.threshold : ''}${one.at_stake?.value === null || !one.at_stake ? nothing : html` · at stake ${metricSpan(one.at_stake)}`}</p></li>`)}</ol>
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
  if (finding.widget) page.open(finding.widget)
  else if (table) page.open('table:' + table)
}
