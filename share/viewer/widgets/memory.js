// SPDX-License-Identifier: Apache-2.0
// Memory: use over time, its peak, and what is alive at a moment.
import { html, nothing, svg } from '../lib/lit.js'
import { gridLines, linear } from '../charts/scale.js'
import { setting } from '../base/session.js'
import { durationText, nsText, readNs } from '../base/time.js'
import { unitSize } from '../base/units.js'
import { bytesText, valueText } from '../base/values.js'
import { asked, unknown, untold, waiting } from './frame.js'
import { gridTemplate } from './grid.js'
import { mountTables } from './reports.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/answers.d.ts').Memory} Memory */
/** When; null: at the peak. @typedef {{value: bigint | null}} Moment */

const WIDTH = 900,
  HEIGHT = 150,
  LEFT = 70

/** @type {import('./dock.js').Mount} */
export const memory = (element, page) => {
  const { session } = page,
    kept = setting(session, 'memory.t', '')
  const t = {
    get value() {
      return readNs(kept.value)
    },
    set value(next) {
      kept.value = next === null ? '' : nsText(next, '')
    },
  }
  const { answer, dispose } = asked(session, () => ({ route: 'memory', params: { t: t.value } }))
  const stop = mountTables(element, page, 'memory', '', () => {
    const { data, state } = answer.value
    if (!data) return waiting(answer.value)
    if (data.unknown) return untold(session, 'memory', data.unknown)
    return html`<div class=${data.series.length ? 'memory-top' : ''}><div>${data.series.length ? chart(page, data, t) : unknown(data.unknown_series)}${moment(page, t)}</div><div class="alive">${state === 'done' ? alive(page, data, data.t === null ? null : BigInt(data.t)) : waiting(answer.value)}</div></div>`
  })
  return () => {
    stop()
    dispose()
  }
}

/** @param {Page} page @param {Memory} data @param {Moment} t */
function chart(page, data, t) {
  const { start, end } = page.session.model,
    zero = page.session.zero.value.t,
    x = linear(Number(start - zero), Number(end - zero), LEFT, WIDTH)
  const points = data.series.map(([time, bytes]) => [
    x.of(Number(BigInt(time) - zero)),
    Number(bytes),
  ])
  const most = Math.max(...points.map(point => point[1]))
  const y = linear(0, most, HEIGHT - 20, 8, unitSize(most, 'byte'))
  const line = points
    .map(([px, bytes], i) =>
      i
        ? `H ${px.toFixed(1)} V ${y.of(bytes).toFixed(1)}`
        : `M ${px.toFixed(1)} ${y.of(bytes).toFixed(1)}`,
    )
    .join(' ')
  const pick = (/** @type {MouseEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect()
    const part = ((event.clientX - box.left) / box.width) * WIDTH
    t.value =
      start + BigInt(Math.round(Math.max(0, (part - LEFT) / (WIDTH - LEFT)) * Number(end - start)))
  }
  return html`<figure class="chart"><figcaption>Bytes over the run${data.peak ? ': peak ' + bytesText(Number(data.peak.bytes)) + ' at ' + durationText(BigInt(data.peak.t) - zero) : ''}</figcaption>
    <svg width=${WIDTH} height=${HEIGHT} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label="Memory over the run" @click=${pick}>
      ${gridLines(y, LEFT, WIDTH, tick => valueText(tick, 'byte'))}
      <path class="area" d=${line + ` H ${WIDTH} V ${y.of(0)} H ${points[0][0]} Z`}></path><path class="line" d=${line + ` H ${WIDTH}`}></path>
      ${data.peak ? svg`<circle class="dot slow" cx=${x.of(Number(BigInt(data.peak.t) - zero))} cy=${y.of(Number(data.peak.bytes))} r="4"></circle>` : nothing}
      ${t.value === null ? nothing : svg`<line class="mark-line" x1=${x.of(Number(t.value - zero))} x2=${x.of(Number(t.value - zero))} y1="4" y2=${HEIGHT - 20}></line>`}
      ${x.ticks.map(tick => svg`<text x=${x.of(tick)} y=${HEIGHT - 5} text-anchor="middle">${durationText(BigInt(Math.round(tick)))}</text>`)}</svg></figure>`
}

/** Chooses when: where the selection begins, else the window, or the peak. @param {Page} page @param {Moment} t */
function moment({ session }, t) {
  const selection = session.selection.value,
    details = session.details.value
  const start =
    selection && 't0' in selection ? selection.t0 : details ? BigInt(details.start) : null
  return html`<p class="pad"><button @click=${() => {
    t.value = start ?? session.window.value.t0
  }}>Alive when the ${start === null ? 'window' : 'selection'} begins</button>
    ${
      t.value === null
        ? nothing
        : html`<button @click=${() => {
            t.value = null
          }}>Alive at the peak</button>`
    }</p>`
}

/**
 * What held memory; of several allocators it says of which.
 * @param {Page} page @param {Memory} data @param {bigint | null} t
 */
function alive(page, data, t) {
  const text = { type: 'string', unit: '' },
    several = new Set(data.alive.map(one => one.allocator)).size > 1
  return html`<h2>Alive at ${t === null ? 'the peak of the run' : nsText(t - page.session.zero.value.t) + ' ns'}</h2>${gridTemplate(
    {
      label: 'Alive',
      columns: [
        { ...text, name: 'name' },
        { name: 'bytes', type: 'int64', unit: 'byte' },
        { ...text, name: 'category' },
        ...(several ? [{ ...text, name: 'allocator' }] : []),
      ],
      rows: data.alive.map(one => [one.name, one.bytes, one.category || null, one.allocator]),
      total: data.alive.length,
      offset: 0,
      sort: '',
      reasons: {
        name: 'the file does not say which operator allocated it',
        category: 'the file does not say which module allocated it',
      },
      onRow: (_row, i) => {
        const { row } = data.alive[i]
        if (row) page.session.select({ kind: 'event', row }, { reveal: true })
      },
    },
  )}`
}
