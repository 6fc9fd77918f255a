// SPDX-License-Identifier: Apache-2.0
// Critical path: time by kind on it, and its segments as an overlay of the timeline.
import { effect, html, nothing, svg } from '../lib/lit.js'
import { css } from '../base/element.js'
import { segmentsOf, setting } from '../base/session.js'
import { durationText } from '../base/time.js'
import { exactPercent, numberText, percentText } from '../base/values.js'
import { CSS, colourOf } from '../timeline/colours.js'
import { asked, waiting } from './frame.js'
import { mountTables } from './reports.js'
import { ofPlaces } from './scoped.js'

/** @typedef {import('../base/element.js').FieldEvent} FieldEvent */
/** @typedef {import('./dock.js').Page} Page */

const WIDTH = 1000,
  MOST = 2000

/** @type {import('./dock.js').Mount} */
export const critical = (element, given) => {
  const page = ofPlaces(given)
  const { session } = page,
    shown = setting(session, 'critical.shown', 'yes')
  const { answer, dispose } = asked(session, () => {
    const selection = session.selection.value,
      part = session.rangeOf(session.scope.value)
    const range =
      part ??
      (selection?.kind === 'step'
        ? { step: selection.step }
        : { t0: session.model.start, t1: session.model.end })
    return { route: 'critical', params: range }
  })
  const overlay = effect(() => {
    const { data } = answer.value
    session.critical.value = shown.value === 'yes' ? segmentsOf(data) : []
  })
  const stop = mountTables(
    element,
    page,
    'critical',
    'needs launches that are linked to what ran on devices',
    () => {
      const { data } = answer.value
      if (answer.value.state === 'failed') return nothing
      if (!data?.segments.length) return waiting(answer.value)
      return html`<label class="pad"><input type="checkbox" .checked=${shown.value === 'yes'} @change=${(
        /** @type {FieldEvent} */ event,
      ) => {
        shown.value = event.target.checked ? 'yes' : 'no'
      }}> show in the timeline</label>${totals(data)}${strip(page, data)}`
    },
  )
  return () => {
    stop()
    overlay()
    dispose()
    session.critical.value = []
  }
}

/** @typedef {import('../base/answers.d.ts').Critical} Critical */

/** @param {Critical} data */
function totals(data) {
  const length = Number(data.length) || 1
  return html`<dl class="totals">${Object.entries(data.totals).map(([kind, ps]) => html`<div><dt><span class="swatch" ${css({ background: CSS[colourOf(kind)] })}></span>${kind}</dt><dd>${durationText(BigInt(/** @type {string} */ (ps)))} <span class="muted" title=${exactPercent(Number(ps) / length)}>${percentText(Number(ps) / length)}</span></dd></div>`)}</dl>`
}

/**
 * The segments one after the other; a click selects the event that the time belongs to.
 * @param {Page} page @param {Critical} data
 */
function strip(page, data) {
  const first = BigInt(data.segments[0].start),
    length = Number(BigInt(data.segments[data.segments.length - 1].end) - first) || 1
  const x = (/** @type {string} */ t) => (Number(BigInt(t) - first) / length) * WIDTH
  return html`<figure class="chart"><figcaption>Segments, the first to the last${data.segments.length > MOST ? ': the first ' + numberText(MOST) + ' of ' + numberText(data.segments.length) + '; the timeline shows all' : ''}</figcaption><svg viewBox=${`0 0 ${WIDTH} 24`} height="24" width="100%" preserveAspectRatio="none" role="group" aria-label="Segments of the critical path">
    ${data.segments.slice(0, MOST).map(one => mark(page, one, x(one.start), x(one.end)))}</svg></figure>`
}

/**
 * @param {Page} page @param {Critical['segments'][number]} one @param {number} from
 * @param {number} to
 */
function mark(page, one, from, to) {
  const label =
    one.kind +
    ', ' +
    durationText(BigInt(one.end) - BigInt(one.start)) +
    (one.row === null ? ', in no row' : '')
  const t0 = BigInt(one.start),
    t1 = BigInt(one.end)
  const go = () => {
    if (one.row !== null)
      return page.session.select({ kind: 'event', row: one.row }, { reveal: true })
    page.session.select({ kind: 'area', t0, t1, tracks: [] })
    page.session.showSpan(t0, t1)
  }
  return svg`<rect class="dot segment" tabindex="0" role="button" aria-label=${label} x=${from} y="1" width=${Math.max(1, to - from)} height="22" fill=${CSS[colourOf(one.kind)]} @click=${go} @keydown=${(
    /** @type {KeyboardEvent} */ event,
  ) => {
    if (event.key === 'Enter') go()
  }}><title>${label}</title></rect>`
}
