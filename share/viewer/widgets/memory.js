// SPDX-License-Identifier: Apache-2.0
// Memory: use over the times of the window, the peak of the run, and what is alive at a moment.
import { html, nothing, svg } from '../lib/lit.js'
import { gridLines, linear } from '../charts/scale.js'
import { timeEdges, timeScale } from '../charts/time-axis.js'
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

const HEIGHT = 130

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
  const axis = timeEdges(element, page),
    { answer, dispose } = asked(session, () => ({ route: 'memory', params: { t: t.value } }))
  const stop = mountTables(element, page, 'memory', '', () => {
    const { data, state } = answer.value
    if (!data) return waiting(answer.value)
    if (data.unknown) return untold(session, 'memory', data.unknown)
    return html`${data.series.length ? chart(page, data, t, axis.edges.value) : unknown(data.unknown_series)}${moment(page, t)}${state === 'done' ? alive(page, data, data.t === null ? null : BigInt(data.t)) : waiting(answer.value)}`
  })
  return () => {
    stop()
    dispose()
    axis.dispose()
  }
}

/** @typedef {import('../charts/time-axis.js').Edges} Edges */

/**
 * The points of a window, with the one before it: what holds as it begins.
 * @param {Memory['series']} series @param {{t0: bigint, t1: bigint}} window
 */
function pointsIn(series, { t0, t1 }) {
  const all = series.map(([time, bytes]) => ({ time: BigInt(time), bytes: Number(bytes) })),
    first = all.findLastIndex(one => one.time <= t0)
  return all.filter((one, i) => i === first || (one.time > t0 && one.time <= t1))
}

/** @param {Page} page @param {Memory} data @param {Moment} t @param {Edges} edges */
function chart(page, data, t, edges) {
  const { session } = page,
    { left, right, width } = edges,
    zero = session.zero.value.t,
    x = timeScale(session, edges),
    points = pointsIn(data.series, session.window.value),
    most = Math.max(...data.series.map(point => Number(point[1]))),
    y = linear(0, most, HEIGHT - 20, 8, unitSize(most, 'byte')),
    from = points.length ? Math.max(left, x.of(points[0].time)) : right,
    line = points
      .map(
        ({ time, bytes }, i) =>
          `${i ? 'H' : 'M'} ${Math.max(left, x.of(time)).toFixed(1)} ${i ? 'V' : ''} ${y.of(bytes).toFixed(1)}`,
      )
      .join(' ')
  const pick = (/** @type {MouseEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect()
    t.value = x.at(Math.min(Math.max(event.clientX - box.left, left), right))
  }
  const isSeen = (/** @type {bigint} */ time) => x.of(time) >= left && x.of(time) <= right
  const peak = data.peak && { t: BigInt(data.peak.t), bytes: Number(data.peak.bytes) }
  return html`<figure class="chart on-axis"><figcaption>Bytes over the window${peak ? html`: peak of the run ${bytesText(peak.bytes)} at ${durationText(peak.t - zero)}${isSeen(peak.t) ? nothing : html` <button class="as-link" @click=${() => session.centre(peak.t)}>Show</button>`}` : nothing}</figcaption>
    <svg width=${width} height=${HEIGHT} viewBox=${`0 0 ${width} ${HEIGHT}`} role="img" aria-label="Memory over the window" @click=${pick}>
      ${gridLines(y, left, right, tick => valueText(tick, 'byte'))}
      ${points.length ? svg`<path class="area" d=${`${line} H ${right} V ${y.of(0)} H ${from} Z`}></path><path class="line" d=${`${line} H ${right}`}></path>` : nothing}
      ${peak && isSeen(peak.t) ? svg`<circle class="dot slow" cx=${x.of(peak.t)} cy=${y.of(peak.bytes)} r="4"></circle>` : nothing}
      ${t.value === null || !isSeen(t.value) ? nothing : svg`<line class="mark-line" x1=${x.of(t.value)} x2=${x.of(t.value)} y1="4" y2=${HEIGHT - 20}></line>`}
      ${x.ticks.map(tick => svg`<text x=${x.of(tick)} y=${HEIGHT - 5} text-anchor="middle">${durationText(tick - zero)}</text>`)}</svg></figure>`
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
