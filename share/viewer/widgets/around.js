// SPDX-License-Identifier: Apache-2.0
// What the panel of an event says besides its own row: what launched it, what called that, the rows beside it on its track,
// and all calls of its name, with its place among them.
import { css } from '../base/element.js'
import { durationText, nsText } from '../base/time.js'
import { counted, exactPercent, numberText, percentText, valueText } from '../base/values.js'
import { effect, html, nothing, signal } from '../lib/lit.js'
import { DRAWN } from '../timeline/model.js'
import { MOST_ROWS } from './scoped.js'

/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('../base/session.js').EventDetails} EventDetails */
/** @typedef {import('./durations.js').Latency} Latency */
/** Of which event it is, and what has come of it; null: there is none. @typedef {{row: string, launch?: EventDetails | null, operator?: EventDetails | null, before?: EventDetails | null, after?: EventDetails | null, latency?: Latency | null}} Around */

/** Callers in sight; the others unfold. */
const CALLERS = 6

/** Bars of the small histogram. */
const BINS = 32

/** Rows that are looked at for one that is wanted. */
const TRIES = 8
/** The same for one that is drawn: many arrows may begin and end between two rows. */
const STEPS = 64

/** Whether a row is one that people see. @param {Session} session @param {string} row */
function isDrawn(session, row) {
  const lane = session.model.lanes.get(Number(row.split('.')[0]))
  return lane !== undefined && DRAWN.has(lane.type)
}

/** The row beside an event on its track; null: there is none, undefined: it was not looked for any further. @param {Session} session @param {EventDetails} event @param {'previous' | 'next'} step @returns {Promise<EventDetails | null | undefined>} */
async function beside(session, event, step) {
  /** @type {string | null} */
  let row = event.row
  for (let i = 0; i < STEPS && row; i++) {
    row = (await session.ask('near', { row, step, of: 'track' })).row
    if (row && isDrawn(session, row)) return session.ask('e', { row })
  }
  return row ? undefined : null
}

/** @typedef {{row: string, track: number, start: string}} Near */

/** The row of a host that launched work of a device: the last that began before it, of those that it depends on by an arrow, else of those that state its correlation id. @param {Session} session @param {EventDetails} event @returns {Promise<EventDetails | null>} */
async function launchOf(session, event) {
  const { model } = session,
    id = event.attributes.find(one => one.key === 'correlation_id')?.value
  if (!model.deviceOf(event.track)) return null
  /** @param {Near[]} rows */
  const hosts = rows =>
    rows
      .filter(one => !model.deviceOf(one.track) && BigInt(one.start) <= BigInt(event.start))
      .sort((a, b) => (BigInt(a.start) < BigInt(b.start) ? 1 : -1))
  const linked = hosts(event.depends),
    stated =
      linked.length || !id || model.rows > MOST_ROWS
        ? []
        : hosts((await session.ask('q', { q: 'correlation_id=' + id, n: 1000 })).hits)
  for (const { row } of [...linked, ...stated].slice(0, TRIES)) {
    const found = await session.ask('e', { row })
    if (found.input === event.input) return found // ids of several inputs are alike
  }
  return null
}

/** Asks what is around the selected event. @param {Session} session */
export function askedAround(session) {
  const around = signal(/** @type {Around} */ ({ row: '' }))
  const dispose = effect(() => {
    const event = session.details.value
    if (!event || around.peek().row === event.row) return
    around.value = { row: event.row }
    /** @param {Partial<Around>} more */
    const put = more => {
      if (around.peek().row === event.row) around.value = { ...around.peek(), ...more }
    }
    const launch = async () => {
      const found = await launchOf(session, event),
        inner = found?.path[found.path.length - 1]
      put({ launch: found, operator: inner ? await session.ask('e', { row: inner.row }) : null })
    }
    const name = async () =>
      put({ latency: event.end === null || !event.name ? null : await latency(session, event) })
    const all = [
      launch(),
      name(),
      beside(session, event, 'previous').then(before => put({ before })),
      beside(session, event, 'next').then(after => put({ after })),
    ]
    for (const one of all) one.catch(() => {}) // what did not come is left out: the row itself says what is wrong
  })
  return { around, dispose }
}

/** @param {Session} session @param {EventDetails} event @returns {Promise<Latency>} */
const latency = (session, event) => session.ask('latency', { name: event.name, bins: BINS })

/**
 * Args of a row that are a JSON object.
 * @param {EventDetails} event @returns {Record<string, unknown>}
 */
function argsOf(event) {
  const text = event.attributes.find(one => one.key === 'args')?.value
  try {
    const args = JSON.parse(String(text ?? '{}'))
    return args && typeof args === 'object' && !Array.isArray(args) ? args : {}
  } catch {
    return {} // a text that was cut
  }
}

/** A number of an attribute. @param {EventDetails} event @param {string[]} keys */
function numberOf(event, keys) {
  const found = event.attributes.find(one => keys.includes(one.key)),
    value = Number(found?.value ?? NaN)
  return Number.isFinite(value) && value > 0 ? value : null
}

/**
 * At most three figures of an event: how long it took, then what tells how well it used the device,
 * by whose clock it may have taken another time.
 * @param {EventDetails} event
 */
export function figuresOf(event) {
  const clock = numberOf(event, ['device_duration']),
    isOther =
      clock !== null && durationText(BigInt(clock)) !== durationText(BigInt(event.duration ?? 0)),
    seconds = (clock ?? Number(event.duration ?? 0)) / 1e12,
    flops = numberOf(event, ['model_flops', 'flops']),
    bytes = numberOf(event, ['bytes_accessed', 'bytes', 'raw_bytes_accessed']),
    occupancy = Number(argsOf(event)['est. achieved occupancy %'] ?? NaN),
    self = event.self !== null && event.self !== event.duration ? event.self : null
  /** @type {[string, string, string][]} */
  const all = []
  if (event.duration !== null)
    all.push([
      durationText(BigInt(event.duration)),
      isOther ? 'on the timeline' : 'duration',
      nsText(BigInt(event.duration)) + ' ns',
    ])
  if (isOther)
    all.push([durationText(BigInt(clock)), 'by the device clock', nsText(BigInt(clock)) + ' ns'])
  if (self !== null && seconds)
    all.push([
      percentText(Number(self) / Number(event.duration)),
      'self time',
      nsText(BigInt(self)) + ' ns',
    ])
  if (flops && seconds) all.push([valueText(flops / seconds, 'flop/s'), 'of flops it states', ''])
  if (bytes && seconds) all.push([valueText(bytes / seconds, 'byte/s'), 'of bytes it states', ''])
  if (Number.isFinite(occupancy)) all.push([percentText(occupancy / 100), 'occupancy', ''])
  return all.slice(0, isOther ? 4 : 3)
}

/** @param {EventDetails} event */
export const figures = event =>
  html`<div class="big-figures">${figuresOf(event).map(([value, name, exact]) => html`<div title=${exact || nothing}><b>${value}</b><span>${name}</span></div>`)}</div>`

/** Dimensions as people write them: "5 × 16 × 16". @param {unknown} list */
const dimensions = list =>
  Array.isArray(list) && list.every(one => Number.isInteger(one)) ? list.join(' × ') : ''

/** @typedef {(row: string) => (event: Event) => void} Open what shows a row */

/** Letters of a name among others. */
const LETTERS = 72

/** @param {Session} session @param {{row: string, name: string}} one @param {Open} open */
function link(session, one, open) {
  const text = session.names.called.value(one.name) || 'no name'
  return html`<a href="#" title=${one.name} @click=${open(one.row)}>${text.length > LETTERS ? text.slice(0, LETTERS).replace(/[\uD800-\uDBFF]$/, '') + '…' : text}</a>`
}

/** Those that called it, the innermost first. @param {Session} session @param {{row: string, name: string}[]} path @param {Open} open */
function callers(session, path, open) {
  const all = [...path].reverse(),
    list = (/** @type {typeof all} */ some) =>
      html`<ol class="callers">${some.map(one => html`<li>${link(session, one, open)}</li>`)}</ol>`
  if (!all.length) return nothing
  return html`<h3>Called from</h3>${list(all.slice(0, CALLERS))}${all.length > CALLERS ? html`<details class="rest"><summary>${counted(all.length - CALLERS, 'caller')} more</summary>${list(all.slice(CALLERS))}</details>` : nothing}`
}

/** What launched it, and who called that. @param {Session} session @param {EventDetails} event @param {Around} around @param {Open} open */
export function launchTemplate(session, event, around, open) {
  const device = session.model.deviceOf(event.track),
    { launch, operator } = around.row === event.row ? around : /** @type {Partial<Around>} */ ({})
  if (!device) return callers(session, event.path, open)
  const own = argsOf(event),
    grid = [dimensions(own.grid), dimensions(own.block)].filter(Boolean),
    shapes = operator?.attributes.find(one => one.key === 'arguments')?.value
  /** @type {[string, unknown][]} */
  const facts = []
  if (launch)
    facts.push([
      'call',
      html`${link(session, launch, open)}, ${launch.duration === null ? '' : durationText(BigInt(launch.duration)) + ', '}${durationText(BigInt(event.start) - BigInt(launch.start))} before`,
    ])
  if (operator)
    facts.push([
      'called by',
      html`${link(session, operator, open)}${operator.duration === null ? nothing : ', ' + durationText(BigInt(operator.duration)) + ' on the CPU'}`,
    ])
  if (shapes) facts.push(['shapes', shapes])
  if (grid.length) facts.push([grid.length > 1 ? 'grid, block' : 'grid', grid.join(', ')])
  return html`<h3>Launch</h3>${launch === null ? html`<p class="muted">The file does not say what launched it.</p>` : nothing}
    ${facts.length ? html`<dl class="fields launch">${facts.map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}</dl>` : nothing}
    ${launch ? callers(session, launch.path, open) : nothing}`
}

/** The rows beside it on its track, and how long was between. @param {Session} session @param {EventDetails} event @param {Around} around @param {Open} open */
export function besideTemplate(session, event, around, open) {
  const { before, after } = around.row === event.row ? around : /** @type {Partial<Around>} */ ({})
  if (before === undefined && after === undefined) return nothing
  const away = (/** @type {bigint} */ time) =>
    time > 0n ? durationText(time) + ' between' : time < 0n ? 'overlaps it' : 'right beside it'
  const end = event.end === null ? null : BigInt(event.end),
    one = (
      /** @type {string} */ title,
      /** @type {EventDetails | null | undefined} */ other,
      /** @type {bigint | null} */ gap,
    ) =>
      html`<dt>${title}</dt><dd>${other ? html`${link(session, other, open)} <span class="muted">${[other.duration === null ? '' : durationText(BigInt(other.duration)), gap === null ? '' : away(gap)].filter(Boolean).join(', ')}</span>` : other === null ? html`<span class="muted">none on its track</span>` : nothing}</dd>`
  return html`<h3>Beside it</h3><dl class="fields neighbours">
    ${one('before it', before, before?.end ? BigInt(event.start) - BigInt(before.end) : null)}
    ${one('after it', after, after && end !== null ? BigInt(after.start) - end : null)}</dl>`
}

/** The bar of the histogram that a duration is in. @param {Latency} all @param {bigint} duration */
const binOf = ({ bins }, duration) =>
  bins.findIndex((bin, i) => duration <= BigInt(bin.to) || i === bins.length - 1)

/** All calls of its name. @param {EventDetails} event @param {Around} around @param {Open} open @param {() => void} more */
export function nameTemplate(event, around, open, more) {
  const all = around.row === event.row ? around.latency : null
  if (!all || !all.count || event.duration === null) return nothing
  if (all.count === 1)
    return html`<h3>All of this name</h3><p class="muted">It is the only one.</p>`
  const own = binOf(all, BigInt(event.duration)),
    most = all.bins.reduce((sum, bin) => Math.max(sum, bin.count), 1),
    time = (/** @type {string | null | undefined} */ ps) =>
      ps === null || ps === undefined ? 'unknown' : durationText(BigInt(ps)),
    [longest] = all.outliers
  return html`<h3>All ${numberText(all.count)} of this name</h3>
    <div class="spread" role="img" aria-label=${'Durations of ' + all.count + ' calls, from ' + time(all.min) + ' to ' + time(all.max)}>${all.bins.map((bin, i) => html`<i class=${i === own ? 'own' : ''} title=${time(bin.from) + ' to ' + time(bin.to) + ': ' + numberText(bin.count) + (i === own ? ', this one too' : '')} ${css({ height: bin.count ? Math.max(6, (100 * bin.count) / most) + '%' : '0' })}></i>`)}</div>
    <dl class="fields name-sums"><dt>this one</dt><dd>${event.rank ? placeText(event.rank) : 'unknown'}</dd>
      <dt>median</dt><dd>${time(all.percentiles.p50)}</dd><dt>p99</dt><dd>${time(all.percentiles.p99)}</dd>
      <dt>longest</dt><dd>${longest && longest.row !== event.row ? html`<a href="#" @click=${open(longest.row)}>${time(all.max)}</a>` : time(all.max)}</dd></dl>
    <p class="go"><button class="as-link" @click=${more}>All durations</button></p>`
}

/** Where a duration stands among those of its name. @param {{percentile: number, below: number, count: number}} rank */
export function placeText({ percentile, below, count }) {
  if (below === count - 1) return 'the longest of ' + numberText(count) + ' of this name'
  return (
    (below ? exactPercent(percentile) : 'none') +
    ' of ' +
    counted(count - 1, 'other') +
    ' of this name ' +
    (below ? 'are' : 'is') +
    ' shorter'
  )
}
