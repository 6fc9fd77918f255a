// SPDX-License-Identifier: Apache-2.0
// Ranks beside each other: a heat map of ranks and steps, who was late, and the tables of the job.
import { html, nothing, signal, svg } from '../lib/lit.js'
import { metricText } from '../base/values.js'
import { asked, unknown, waiting } from './frame.js'
import { choice } from './operators.js'
import { mountTables, tablesThere } from './reports.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/values.js').Metric} Metric */
/** @typedef {{ranks: string[], steps: string[], cells: Metric[][], stragglers: {rank: string, text: string}[], unknown?: string}} Ranks */

const TABLES = ['stragglers', 'ranks', 'step_skew', 'rank_steps', 'rank_operators', 'clocks'], CELL = 22, LEFT = 150, TOP = 22, MOST_STEPS = 400
const NEEDS = 'needs several ranks of one job: open their folder with nprof view'

/** @type {import('./dock.js').Definition} */
export const ranks = {
  id: 'ranks',
  title: 'Ranks',
  help: 'Ranks beside each other: steps, skew, who was late and why',
  mount(element, page) {
    const metric = signal('step')
    const { answer, dispose } = asked(page.session, () => ({ route: 'ranks', params: { metric: metric.value } }))
    const stop = mountTables(element, page, TABLES, NEEDS, () => {
      const { data } = answer.value
      if (!data) return waiting(answer.value)
      if (!data.ranks.length) return tablesThere(page, TABLES).length ? nothing : unknown(data.unknown ?? NEEDS)
      return html`<div class="bar">${choice('Metric', ['step', 'busy', 'exposed'], metric)}</div>${stragglers(data)}${heatMap(page, data)}`
    })
    return () => { stop(); dispose() }
  },
}

/** @param {Ranks} data */
const stragglers = data => (data.stragglers.length ? html`<ul class="findings">${data.stragglers.map(one => html`<li><b>${one.rank}</b> ${one.text}</li>`)}</ul>` : nothing)

/** Slowest on top, so that who is late is seen without scrolling. @param {Ranks} data */
function byWorst(data) {
  const sum = (/** @type {Metric[]} */ row) => row.reduce((all, cell) => all + Number(cell?.value ?? 0), 0)
  return data.ranks.map((rank, i) => ({ rank, row: data.cells[i] ?? [] })).sort((a, b) => sum(b.row) - sum(a.row))
}

/** @param {Page} page @param {Ranks} data */
function heatMap(page, data) {
  const rows = byWorst(data), steps = data.steps.slice(0, MOST_STEPS)
  const values = rows.flatMap(one => one.row.map(cell => Number(cell?.value ?? NaN))).filter(Number.isFinite)
  const low = Math.min(...values), high = Math.max(...values), span = high - low || 1
  return html`<figure class="chart"><figcaption>Dark is slow: ${values.length ? metricText({ ...rows[0].row[0], value: low }) + ' to ' + metricText({ ...rows[0].row[0], value: high }) : 'unknown'}</figcaption>
    <div class="chart-scroll"><svg width=${LEFT + steps.length * CELL} height=${TOP + rows.length * CELL} role="grid" aria-label="Ranks and steps">
    ${steps.map((step, c) => svg`<text x=${LEFT + c * CELL + CELL / 2} y=${TOP - 6} text-anchor="middle">${step}</text>`)}
    ${rows.map((one, r) => svg`<g role="row"><text x=${LEFT - 6} y=${TOP + r * CELL + 15} text-anchor="end" role="rowheader">${one.rank.slice(-20)}</text>
      ${steps.map((step, c) => cell(page, one.rank, step, one.row[c], c, r, low, span))}</g>`)}</svg></div></figure>`
}

/** @param {Page} page @param {string} rank @param {string} step @param {Metric | undefined} metric @param {number} c @param {number} r @param {number} low @param {number} span */
function cell(page, rank, step, metric, c, r, low, span) {
  const known = metric && metric.value !== null
  const label = rank + ', step ' + step + ': ' + (known ? metricText(metric) : 'unknown: ' + (metric?.reason ?? 'this rank has no such step'))
  const go = () => showStep(page, rank, step)
  return svg`<rect class="heat" role="gridcell" tabindex="0" aria-label=${label} x=${LEFT + c * CELL} y=${TOP + r * CELL} width=${CELL - 1} height=${CELL - 1} fill=${known ? 'var(--series)' : 'none'} stroke=${known ? 'none' : 'var(--hatch)'}
    fill-opacity=${known ? 0.15 + 0.85 * ((Number(metric.value) - low) / span) : 1} @click=${go} @keydown=${(/** @type {KeyboardEvent} */ event) => { if (event.key === 'Enter') go() }}><title>${label}</title></rect>`
}

/** Selects the step of a rank in the timeline. @param {Page} page @param {string} rank @param {string} step */
async function showStep(page, rank, step) {
  const { session } = page
  const { columns, rows } = await session.ask('steps', { n: 10000 }).catch(() => ({ columns: [], rows: [] }))
  const at = (/** @type {string} */ name) => columns.findIndex((/** @type {any} */ column) => column.name === name)
  const row = rows.find((/** @type {any[]} */ one) => String(one[at('step')]) === step && [one[at('input')], one[at('device')]].includes(rank))
  if (!row || row[at('start_ns')] === null || row[at('duration_ns')] === null) return
  const t0 = BigInt(row[at('start_ns')]), t1 = t0 + BigInt(row[at('duration_ns')])
  session.select({ kind: 'step', step, t0, t1 })
  session.showSpan(t0, t1, 0.05)
}
