// SPDX-License-Identifier: Apache-2.0
// Gates: demands as typed for `nprof gate`, with their value, and the row that decides. They are kept with the profile.
import { html, nothing, signal } from '../lib/lit.js'
import { get, write } from '../base/api.js'
import { quoted, say } from '../base/element.js'
import { metricText } from '../base/values.js'
import { setting, shellText } from '../base/session.js'
import { asked, bar, live, saveCsv } from './frame.js'
import { followRow } from './table.js'

/** @typedef {import('./dock.js').Page} Page */

const KEPT = 'gates',
  SIGN = { met: '✓', 'not met': '✗', undecided: '?' }

/**
 * Opens the table that decides on the row that does, and goes to what that is of.
 * @param {Page} page @param {import('../base/answers.d.ts').Demand} verdict
 */
async function showRow(page, { table, keys }) {
  const where = Object.entries(keys)
    .map(([column, text]) => column + ' = ' + (text === null ? '' : quoted(text)))
    .join(' and ')
  setting(page.session, 'table:' + table + '.filter', '').value = where
  page.session.choice.value = 'whole' // as the demand is of the whole run
  page.open('table:' + table)
  const { columns, rows } = await page.session.ask(`table/${table}`, { where, n: 1 })
  if (rows.length) await followRow(page, columns, rows[0])
}

/** @type {import('./dock.js').Mount} */
export const gates = (element, page) => {
  const { session } = page
  const demands = signal(/** @type {string[]} */ ([]))
  const folder = /** @type {const} */ (`p/${session.id}/gates_saved`),
    kept = /** @type {const} */ (`${folder}/${KEPT}`)
  let rev = /** @type {number | null} */ (null)
  const { answer, dispose } = asked(session, () =>
    demands.value.length ? { route: 'gate', params: { demand: demands.value } } : null,
  )
  // One behind the other: each write needs the revision that the one before read or made.
  // The list says whether there are any: to ask for what is not there is an error in the console of the browser.
  const isKept = async () => (await get(folder)).items.some(one => one.name === KEPT)
  let written = isKept()
    .then(there => (there ? get(kept) : null))
    .then(
      item => {
        if (item) {
          rev = item.rev
          demands.value = item.data.demands
        }
      },
      () => {},
    )
  const change = (/** @type {string[]} */ next) => {
    demands.value = next
    written = written
      .then(() => write('PUT', kept, { rev, data: { demands: next } }))
      .then(item => {
        rev = item.rev
      })
      .catch(error => say('not kept: ' + error.message))
  }
  const add = (/** @type {Event} */ event) => {
    event.preventDefault()
    const field = /** @type {HTMLInputElement} */ (element.querySelector('.demand'))
    if (field.value.trim()) change([...demands.value, field.value.trim()])
    field.value = ''
  }
  const stop = live(element, () => {
    const { data } = answer.value
    return html`${bar({
      scoped: 'whole: a demand is of the whole run',
      left: html`<form class="acts gate-form" @submit=${add}><input class="demand wide" aria-label="Demand" placeholder="mfu > 45%"><button>Add</button></form>`,
      command: demands.value.length
        ? session.commandFor('gate') + demands.value.map(one => ' ' + shellText(one)).join('')
        : '',
      csv: data
        ? () =>
            saveCsv(
              'gates',
              ['demand', 'state', 'value', 'unit', 'key', 'reason'],
              data.map(one => [
                one.demand,
                one.state,
                one.value.value,
                one.value.unit,
                one.key,
                one.reason,
              ]),
            )
        : null,
    })}
      <div class="scrolled"><table class="grid" aria-label="Demands"><tbody>${demands.value.map(
        (demand, i) => {
          const all = data?.filter(other => other.demand === demand) ?? []
          const one = ['not met', 'undecided', 'met']
            .map(state => all.find(other => other.state === state))
            .find(Boolean)
          return html`<tr><td class="state ${(one?.state ?? '').replace(' ', '-')}">${one ? SIGN[one.state] + ' ' + (one.state === 'not met' ? 'NOT MET' : one.state) : '…'}</td><td><code>${demand}</code></td>
          <td class="number">${one ? metricText(one.value) : ''}</td><td>${one?.key ?? ''}</td><td>${one?.reason ?? ''}</td>
          <td>${one?.table ? html`<button class="quiet" title=${'Show the row of table ' + one.table + ' that decides'} @click=${() => showRow(page, one)}>Show</button>` : nothing}<button class="quiet" aria-label=${'Remove ' + demand} @click=${() => change(demands.value.filter((_, k) => k !== i))}>×</button></td></tr>`
        },
      )}</tbody></table>${answer.value.state === 'failed' ? html`<p class="failed" role="alert">${answer.value.error?.message} ${answer.value.error?.mend}</p>` : nothing}
      ${demands.value.length ? nothing : html`<p class="pad muted">A demand is what CI shall hold: mfu &gt; 45%, busy &gt; 90%, step &lt; 7ms.</p>`}</div>`
  })
  return () => {
    stop()
    dispose()
  }
}
