// SPDX-License-Identifier: Apache-2.0
// Findings: sentences with numbers, each with the rule that made it and a link to what proves it.
import { html, nothing } from '../lib/lit.js'
import { bar, live, metricSpan, saveCsv, scopeOf } from './frame.js'
import { askedOfScope, missing, scopeNote } from './scoped.js'
import { openWidget, showFinding } from './show.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/answers.d.ts').LeftOut} LeftOut */

/** @param {Page} page @param {LeftOut[]} leftOut */
const leftOutTemplate = (page, leftOut) => {
  if (!leftOut.length) return nothing
  return html`<p class="pad muted">Left out: ${leftOut.map(one => html`<button class="quiet" title=${'Opens what has them: ' + (one.widget || one.table)} @click=${() => openWidget(page, one)}>${one.rule} ${one.count}</button> `)}</p>`
}

/** @type {import('./dock.js').Mount} */
export const findings = (element, page) => {
  const { session } = page
  const { answer, dispose } = askedOfScope(session, () =>
    session.rangeOf(session.scope.value) ? { route: 'findings' } : null,
  )
  const stop = live(element, () => {
    const part = session.rangeOf(session.scope.value),
      instead = part ? missing(session, answer.value) : nothing
    const { findings: all, findings_left_out: leftOut } =
      (part && answer.value.data) ||
      (part ? { findings: [], findings_left_out: [] } : session.profile)
    return html`${bar({
      note: scopeNote(session),
      command: session.commandBetween('report --findings', part),
      csv:
        instead === nothing && all.length
          ? () =>
              saveCsv(
                'findings',
                ['rule', 'threshold', 'text', 'detail', 'at_stake', 'unit', 'more'],
                all.map(one => [
                  one.rule,
                  one.threshold,
                  one.text,
                  one.detail,
                  one.at_stake.value,
                  one.at_stake.unit,
                  one.more,
                ]),
              )
          : null,
    })}
      ${instead}${instead === nothing ? list(page, all, leftOut, Boolean(part), part !== null && scopeOf(session, answer.value) === 'past') : nothing}`
  })
  return () => {
    stop()
    dispose()
  }
}

/**
 * @param {Page} page @param {import('../base/answers.d.ts').Finding[]} all
 * @param {LeftOut[]} leftOut @param {boolean} part @param {boolean} past
 */
const list = (
  page,
  all,
  leftOut,
  part,
  past,
) => html`<div class=${past ? 'scrolled past' : 'scrolled'}><ol class="findings">${all.map(
  one => html`<li>
    <p>${one.text} <button class="quiet" @click=${() => showFinding(page, one)}>Show</button></p>
    ${one.detail ? html`<p>${one.detail}</p>` : nothing}
    <p class="muted">rule ${one.rule}${one.threshold ? ': ' + one.threshold : ''}${one.at_stake.value === null ? nothing : html` · at stake ${metricSpan(one.at_stake)}`}</p></li>`,
)}</ol>
  ${leftOutTemplate(page, leftOut)}
  ${all.length ? nothing : html`<p class="pad muted">No rule found anything that stands out${part ? ' in this part of the run' : ''}.</p>`}</div>`
