// SPDX-License-Identifier: Apache-2.0
// Steps as bars by part, cut ones hatched; click selects the step in the timeline.
import { html, nothing, signal, svg } from '../lib/lit.js'
import { linear } from '../charts/scale.js'
import { download } from '../base/element.js'
import { durationText } from '../base/time.js'
import { CSS, colourOf } from '../timeline/colours.js'
import { css } from '../base/element.js'
import { asked, bar, csvText, live, waiting } from './frame.js'
import { gridTemplate } from './grid.js'
import { choice } from './operators.js'
import { timesOf } from './table.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {{step: string, device: string, t0: bigint, t1: bigint, cut: boolean, parts: [string, number][], row: any[]}} Step */

const HEIGHT = 130, ROOM = 34

/** @type {import('./dock.js').Definition} */
export const steps = {
  id: 'steps',
  title: 'Steps',
  help: 'How long each step took, and of what it consists',
  mount(element, page) {
    const { session } = page
    const device = signal(''), sort = signal('')
    const { answer, dispose } = asked(session, () => ({ route: 'steps', params: { device: device.value || null, n: 2000 } }))
    const stop = live(element, () => {
      const { data } = answer.value
      const all = data?.rows ? stepsOf(data) : []
      const devices = [...new Set(all.map(one => one.device))]
      return html`${bar(session, { left: choice('Device', ['', ...devices], device, 'all'), note: data?.rows ? data.total.toLocaleString('en') + ' steps' : '', command: session.commandFor('report --only steps'),
        csv: data?.rows ? () => download('steps.csv', csvText(data.columns.map((/** @type {any} */ one) => one.name), data.rows), 'text/csv') : null })}
      ${waiting(answer.value)}
      ${all.length ? html`<div class="scrolled">${chart(page, all)}${gridTemplate({ label: 'Steps', columns: data.columns, rows: data.rows, total: data.total, offset: 0, sort: sort.value, onSort: next => { sort.value = next; sortRows(data, next) }, onRow: row => pick(page, all.find(one => one.row === row)) })}</div>` : data?.rows && !data.unknown ? html`<p class="pad muted">The file states no steps, and no program ran often enough to be taken for one.</p>` : nothing}`
    })
    return () => { stop(); dispose() }
  },
}

/** @param {any} data @param {string} sort */
function sortRows(data, sort) {
  const at = data.columns.findIndex((/** @type {any} */ column) => column.name === sort.replace('-', '')), sign = sort[0] === '-' ? -1 : 1
  data.rows.sort((/** @type {any[]} */ a, /** @type {any[]} */ b) => sign * (/^-?\d+$/.test(a[at]) ? Number(a[at]) - Number(b[at]) : a[at] < b[at] ? -1 : 1))
}

/** @param {any} data @returns {Step[]} */
function stepsOf(data) {
  const at = (/** @type {string} */ name) => data.columns.findIndex((/** @type {any} */ column) => column.name === name)
  return data.rows.flatMap((/** @type {any[]} */ row) => {
    const times = timesOf(data.columns, row)
    if (!times) return []
    const step = String(row[at('step')]), device = String(row[at('device')])
    const parts = data.parts?.find((/** @type {any} */ one) => String(one.step) === step && one.device === device)?.parts ?? {}
    return [{ step, device, ...times, cut: Boolean(row[at('cut')]) && row[at('cut')] !== 'false', parts: Object.entries(parts).map(([name, ps]) => /** @type {[string, number]} */ ([name, Number(ps)])), row }]
  })
}

/** @param {Page} page @param {Step | undefined} step */
function pick(page, step) {
  if (!step) return
  page.session.select({ kind: 'step', step: step.step, t0: step.t0, t1: step.t1 })
  page.session.showSpan(step.t0, step.t1, 0.05)
}

/** @param {Page} page @param {Step[]} all */
function chart(page, all) {
  const now = page.session.selection.value, width = Math.max(300, all.length * 26)
  const most = all.reduce((sum, one) => Math.max(sum, Number(one.t1 - one.t0)), 1), y = linear(0, most, HEIGHT, 6)
  const names = [...new Set(all.flatMap(one => one.parts.map(part => part[0])))]
  return html`<figure class="chart"><figcaption>${names.map(name => html`<span class="key"><span class="swatch" ${css({ background: CSS[colourOf(name)] })}></span>${name}</span>`)}</figcaption>
    <div class="chart-scroll"><svg class="steps-chart" width=${width + 70} height=${HEIGHT + ROOM} role="group" aria-label="Duration of steps">
      ${y.ticks.map(tick => svg`<line x1="64" x2=${width + 70} y1=${y.of(tick)} y2=${y.of(tick)} class="grid-line"></line><text x="60" y=${y.of(tick) + 4} text-anchor="end">${durationText(BigInt(Math.round(tick)))}</text>`)}
      ${all.map((one, i) => bars(page, one, 68 + i * 26, y, now?.kind === 'step' && now.step === one.step && now.t0 === one.t0))}</svg></div></figure>`
}

/** @param {Page} page @param {Step} one @param {number} x @param {import('../charts/scale.js').Scale} y @param {boolean} current */
function bars(page, one, x, y, current) {
  const whole = Number(one.t1 - one.t0)
  let at = 0
  const parts = one.parts.length ? one.parts : /** @type {[string, number][]} */ ([['step', whole]])
  const label = 'Step ' + one.step + ' of ' + one.device + ': ' + durationText(one.t1 - one.t0) + (one.cut ? ', cut' : '') + one.parts.map(([name, ps]) => ', ' + name + ' ' + durationText(BigInt(ps))).join('')
  return svg`<g class="bar-group ${current ? 'current' : ''} ${one.cut ? 'cut' : ''}" tabindex="0" role="button" aria-label=${label} @click=${() => pick(page, one)} @keydown=${(/** @type {KeyboardEvent} */ event) => { if (event.key === 'Enter') pick(page, one) }}>
    <title>${label}</title><rect class="back" x=${x} width="20" y=${y.of(whole)} height=${Math.max(0, HEIGHT - y.of(whole))}></rect>
    ${parts.map(([name, ps]) => { const from = at; at += ps; return svg`<rect x=${x} width="20" y=${y.of(at)} height=${Math.max(0, y.of(from) - y.of(at))} fill=${one.parts.length ? CSS[colourOf(name)] : 'var(--series)'}></rect>` })}
    <text x=${x + 10} y=${HEIGHT + 14} text-anchor="middle">${/\d+$/.exec(one.step)?.[0] ?? one.step.slice(0, 3)}</text></g>`
}
