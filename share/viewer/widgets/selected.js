// SPDX-License-Identifier: Apache-2.0
// What Details shows of a selection: all fields of an event, what it depends on, what needs it, what runs beside it; of an area its
// parts; of a step its times.
import { html, nothing } from '../lib/lit.js'
import { durationText, nsText } from '../base/time.js'
import {
  capital,
  cellText,
  countTexts,
  counted,
  deviceText,
  exactPercent,
  numberText,
  percentText,
  valueText,
} from '../base/values.js'
import { copy, quoted } from '../base/element.js'
import { howFused } from '../base/fusions.js'
import { groupsText } from '../base/parts.js'
import { chosenPlace, framesOf, placesOf } from '../base/places.js'
import { causesOf, gapsOf, idleBefore, near, slowest, stepBy } from '../base/find.js'
import { showStepOf } from '../base/step-by.js'
import { stepTitle } from '../base/steps.js'
import { adviceTemplate } from './advice.js'
import { bar, failure, saveCsv } from './frame.js'
import {
  askedAround,
  besideTemplate,
  figures,
  launchTemplate,
  nameTemplate,
  placeText,
} from './around.js'
import { askedMeanwhile, meanwhileTemplate } from './meanwhile.js'
import { pinnedTemplate, pinsOf } from './pinned.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/session.js').EventDetails} EventDetails */
/** @typedef {import('./pinned.js').Pins} Pins */

/** What is selected, and events that were pinned. @param {Page} page */
export function selectedPanel(page) {
  const { session } = page,
    pins = pinsOf(session),
    meanwhile = askedMeanwhile(session),
    around = askedAround(session)
  return {
    template: () =>
      html`${pinnedTemplate(session, pins, session.details.value)}${session.selection.value ? template(page, pins, meanwhile, around.around.value) : adviceTemplate(page)}`,
    dispose() {
      meanwhile.dispose()
      around.dispose()
    },
  }
}

/** @param {Page} page @param {Pins} pins @param {import('./meanwhile.js').Meanwhile} meanwhile @param {import('./around.js').Around} around */
function template(page, pins, meanwhile, around) {
  const { session } = page,
    selection = session.selection.value,
    event = session.details.value
  if (selection?.kind === 'area') return area(page, selection, meanwhile)
  if (selection?.kind === 'step') return step(page, selection)
  if (!event && session.lost.value)
    return html`<div class="pad">${back(session)}${selection?.kind === 'event' && selection.seen ? seenTemplate(session, selection.seen) : nothing}${failure(session.lost.value, () => session.select(selection))}</div>`
  if (!event) return html`<div class="pad muted" aria-busy="true">asking…</div>`
  return eventTemplate(page, event, pins, around)
}

/** An event of which the answer is not there, as in a page that is one file without its rows: what
 * its picture knows.
 * @param {import('../base/session.js').Session} session
 * @param {import('../base/session.js').Seen} seen */
function seenTemplate(session, { label, track, t0, t1, count }) {
  const name = session.names.get(label)?.[0],
    others = count > 1 ? ', with ' + counted(count - 1, 'other event') : ''
  /** @type {[string, unknown][]} */
  const fields = [
    ['on', session.model.nameOf(track)],
    ['start', 'about ' + durationText(t0 - session.zero.value.t)],
  ]
  if (name) fields.unshift(['full name', name])
  if (t1 !== null) fields.push(['duration', 'about ' + durationText(t1 - t0) + others])
  return html`<h2>${name ? session.names.called.value(name) : 'An event'}</h2>
    ${fieldList(fields)}`
}

/** Leads from what is selected back to what to do first. @param {import('../base/session.js').Session} session */
const back = session =>
  html`<button class="as-link back" title="What to do first (Esc)" @click=${() => session.select(null)}>Findings</button>`

/** @param {Page} page @param {{step: string, t0: bigint, t1: bigint}} selection */
const step = (
  { session },
  selection,
) => html`<div class="pad">${back(session)}<h2>${capital(stepTitle(selection.step))}</h2>${fieldList(rangeFields(session, selection))}
  <div class="acts"><button title="Previous step (Shift+n)" @click=${() => stepBy(session, -1)}>‹ Step</button><button title="Next step (n)" @click=${() => stepBy(session, 1)}>Step ›</button>
    <button title="Slowest event of this step (x)" @click=${() => slowest(session)}>Slowest</button></div></div>`

/** @param {Page} page @param {{t0: bigint, t1: bigint, tracks: number[], parts?: string}} selection @param {import('./meanwhile.js').Meanwhile} meanwhile */
function area(page, selection, meanwhile) {
  const { session } = page,
    idle = gapsOf(session, selection)
  return html`<div class="pad">${back(session)}<h2>${idle.length ? 'Idle: ' + causesOf(idle) : 'Area'}</h2>
    ${fieldList([...(idle.length && idle[0].track !== null ? [/** @type {[string, unknown]} */ (['device', deviceText(session.model.inTables(idle[0].track)[0])])] : []), ...rangeFields(session, selection), ...groupField(session, selection), ['tracks', selection.tracks.length ? selection.tracks.map(track => session.model.nameOf(track)).join(', ') : 'all']])}
    <div class="acts"><button @click=${() => session.show(selection.t0, selection.t1, true)}>Zoom</button>
      <button @click=${() => session.addMarker(selection.t0, selection.t1)}>Mark</button>
      ${idle.length ? html`<button title="What ran meanwhile, and what ended it" @click=${() => page.open('gaps')}>Meanwhile</button>` : html`<button title="Slowest event in it (x)" @click=${() => slowest(session)}>Slowest</button>`}
      <button @click=${() => {
        session.choice.value = 'auto'
        page.open('selection')
      }}>Statistics</button>
      <button @click=${() => copy(session.commandFor('report', 'selection'), 'command')}>Command</button></div>
    ${meanwhileTemplate(page, meanwhile)}</div>`
}

/** Of which groups the rows of an area are. @param {import('../base/session.js').Session} session @param {import('../base/session.js').Chosen} chosen @returns {[string, unknown][]} */
const groupField = (session, chosen) =>
  chosen.parts ? [['rows of', groupsText(chosen.parts, session.groupsOf(chosen))]] : []

/** @param {import('../base/session.js').Session} session @param {{t0: bigint, t1: bigint}} range @returns {[string, unknown][]} */
function rangeFields(session, { t0, t1 }) {
  const zero = session.zero.value.t
  return [
    ['start', nsText(t0 - zero) + ' ns'],
    ...fromOrigin(session, t0),
    ['end', nsText(t1 - zero) + ' ns'],
    ['duration', exactly(t1 - t0)],
  ]
}

/** A start as the command line has it, where the ruler calls something else 0. @param {import('../base/session.js').Session} session @param {bigint} t @returns {[string, unknown][]} */
const fromOrigin = ({ zero }, t) =>
  zero.value.t === 0n ? [] : [["start from nprof's origin", nsText(t) + ' ns']]

/** @param {bigint} duration */
const exactly = duration =>
  html`${nsText(duration)} ns${duration === 0n ? nothing : html` <span class="muted">${durationText(duration)}</span>`}`

/** Letters of a name and of a field that are in sight at once. */
const NAME = 240,
  FIELD = 400

/** A text of any length: the end of a long one unfolds. @param {unknown} text @param {number} most letters */
function folded(text, most) {
  if (typeof text !== 'string' || text.length <= most) return text
  const first = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
  return html`${first}<details class="rest"><summary>${numberText(text.length - first.length)} more letters</summary>${text.slice(first.length)}</details>`
}

/** @param {[string, unknown][]} fields */
const fieldList = fields =>
  html`<dl class="fields">${fields.map(([key, value]) => html`<dt>${key}</dt><dd>${folded(value, FIELD)}</dd>`)}</dl>`

/** @param {Page} page @param {import('../base/session.js').EventDetails} event @param {Pins} pins @param {import('./around.js').Around} around */
function eventTemplate(page, event, pins, around) {
  const { session } = page,
    called = session.names.called.value
  const open = (/** @type {string} */ row) =>
    session.select({ kind: 'event', row }, { reveal: true })
  const opens = (/** @type {string} */ row) => act(() => open(row))
  return html`${bar({ left: pages(page, event), csv: () => saveEvent(event), command: session.commandFor(session.rowsCommand) })}
  <div class="pad details">
    ${back(session)}
    <h2 class="event-name" title=${event.name}>${folded(called(event.name), NAME) || html`<span class="unknown">no name</span>`}</h2>
    ${called(event.name) === event.name ? nothing : html`<details class="rest full-name"><summary>Full name</summary>${event.name}</details>`}
    <div class="path muted">${kindText(event)} on ${session.model.nameOf(event.track)}</div>
    ${figures(event)}
    ${event.path.length && session.model.deviceOf(event.track) ? html`<div class="path">in ${event.path.map((one, i) => html`${i ? ' › ' : ''}<a href="#" title=${one.name} @click=${act(() => open(one.row))}>${called(one.name)}</a>`)}</div>` : nothing}
    ${times(session, event)}
    ${launchTemplate(session, event, around, opens)}
    ${besideTemplate(session, event, around, opens)}
    ${nameTemplate(event, around, opens, () => page.open('latency'))}
    ${members(page, event)}
    ${links(session, 'Depends on', event.depends, event.depends_total ?? event.depends.length, open, openWait(event))}
    ${links(session, 'Needed by', event.needed, event.needed_total ?? event.needed.length, open)}
    ${overlaps(session, event, open)}
    ${source(page, event)}
    ${attributes(session, event)}
    <div class="acts">
      <button title="Fit the event (f f)" @click=${() => event.end && session.showSpan(BigInt(event.start), BigInt(event.end))}>Fit</button>
      <button @click=${() => {
        session.query.value = 'name=' + quoted(event.name)
        page.open('search')
      }}>Same name</button>
      ${event.step === null ? nothing : html`<button title="Selects the step that it is of" @click=${() => showStepOf(session, event)}>Its step</button>`}
      <button title="Area of the event (r)" ?disabled=${event.end === null} @click=${() => session.selectAreaOf(event)}>As area</button>
      <button title="Why its device was idle before it (i)" @click=${() => idleBefore(session)}>Idle before</button>
      <button title="Keeps its fields here, beside those of what is selected next" aria-pressed=${pins.has(event.row)} @click=${() => pins.toggle(event.row)}>${pins.has(event.row) ? 'Unpin' : 'Pin'}</button>
      <button title="Latency of this name" @click=${() => page.open('latency')}>Latency</button>
    </div>
  </div>`
}

/** What it is: work of a device by its kind, else as the file has it. @param {import('../base/session.js').EventDetails} event */
function kindText({ attributes, category, kind }) {
  const work = attributes.find(one => one.key === 'nprof.work')?.value
  return [...new Set([category, work === 'none' ? '' : work].filter(Boolean))].join(', ') || kind
}

/** @param {() => void} run */
const act = run => (/** @type {Event} */ event) => {
  event.preventDefault()
  run()
}

/** Hits of the search are pages of Details. @param {Page} page @param {EventDetails} event */
function pages(page, event) {
  const { session } = page,
    hits = session.hits.value
  const at = hits?.hits?.findIndex(hit => hit.row === event.row) ?? -1
  if (!hits || hits.total === 0)
    return html`<button class="quiet" title="Previous of the track (,)" @click=${() => near(session, event, 'previous')}>‹</button><button class="quiet" title="Next of the track (.)" @click=${() => near(session, event, 'next')}>›</button>`
  const go = (/** @type {number} */ by) =>
    document.dispatchEvent(new CustomEvent('nprof-hit', { detail: by }))
  return html`<span class="pages">${at >= 0 ? numberText(at + 1) + ' of ' + numberText(hits.total) : counted(hits.total, 'hit')}</span>
    <button class="quiet" aria-label="Previous hit" title="Previous hit (Shift+Enter)" @click=${() => go(-1)}>‹</button><button class="quiet" aria-label="Next hit" title="Next hit (Enter)" @click=${() => go(1)}>›</button>`
}

/** @param {import('../base/session.js').Session} session @param {EventDetails} event */
function times(session, event) {
  const zero = session.zero.value.t,
    ns = (/** @type {string | null} */ ps) =>
      ps === null
        ? html`<span class="unknown" title="The file has no end of it">no end in the file</span>`
        : nsText(BigInt(ps)) + ' ns'
  /** @type {[string, unknown][]} */
  const fields = [
    ['start', nsText(BigInt(event.start) - zero) + ' ns'],
    ...fromOrigin(session, BigInt(event.start)),
    ['end', event.end === null ? ns(null) : nsText(BigInt(event.end) - zero) + ' ns'],
    ['duration', event.duration === null ? ns(null) : exactly(BigInt(event.duration))],
  ]
  if (event.self !== null)
    fields.push([
      'self',
      html`${ns(event.self)} <span class="muted" title=${event.duration && event.duration !== '0' ? exactPercent(Number(event.self) / Number(event.duration)) : nothing}>${event.duration && event.duration !== '0' ? percentText(Number(event.self) / Number(event.duration)) : ''}</span>`,
    ])
  if (event.value !== null) fields.push(['value', valueOf(event, Number(event.value))])
  if (event.category) fields.push(['category', event.category])
  if (event.rank && event.rank.count > 1) fields.push(['percentile', placeText(event.rank)])
  if (event.step !== null) fields.push(['step', event.step])
  if (event.layer !== null) fields.push(['layer', event.layer])
  return fieldList(fields)
}

/** @param {EventDetails} event of a counter @param {number} value */
function valueOf(event, value) {
  const [text, beside] = countTexts(
    value,
    cellText(event.attributes.find(one => one.key === 'unit')?.value),
  )
  return html`${text}${beside ? html` <span class="muted">${beside}</span>` : nothing}`
}

/** @param {Page} page @param {EventDetails} event */
function members(page, event) {
  if (!event.members.length) return nothing
  const hidden = event.members.filter(one => !one.seen).length,
    { text, meaning } = howFused(event.how)
  return html`<details open><summary title="A hidden one has no event of its own">${text}: ${counted(event.members.length, 'operator')}${hidden ? ' (' + hidden + ' hidden)' : ''}</summary>
    <p class="note">${meaning}. <button class="as-link" @click=${() => page.open('table:fusions')}>All fusions</button></p>
    <ul class="links">${event.members.map(one => html`<li>${one.name} <span class="muted">${one.opcode ?? ''} ${one.framework_op ?? ''} ${one.seen ? '' : 'hidden: no event of its own'}</span></li>`)}</ul></details>`
}

/** What an event waits for without an arrow to it. @param {import('../base/session.js').EventDetails} event */
function openWait(event) {
  const wait = event.attributes.find(one => one.key === 'waits_for')?.value
  return wait ? wait + '; which row made it so is not known' : 'nothing that the file says'
}

/**
 * @param {import('../base/session.js').Session} session @param {string} title
 * @param {import('../base/answers.d.ts').Link[]} list @param {number} total
 * @param {(row: string) => void} open @param {string} [none] what stands there without any
 */
function links(session, title, list, total, open, none = 'nothing that the file says') {
  if (!list.length) return html`<p class="none muted">${title}: ${none}</p>`
  return html`<details open><summary>${title} ${numberText(total)}</summary><ul class="links">${list.map(
    link => html`<li>
    <a href="#" title=${link.name} @click=${act(() => open(link.row))}>${session.names.called.value(link.name) || 'no name'}</a>
    <span class="muted">${session.model.nameOf(link.track)} · ${link.duration === null ? '' : durationText(BigInt(link.duration))}${BigInt(link.wait) > 0n ? ' · ' + durationText(BigInt(link.wait)) + ' between' : ''} · ${link.family}</span></li>`,
  )}</ul>
    ${total > list.length ? html`<p class="muted">${numberText(total - list.length)} more</p>` : nothing}</details>`
}

/** So many rows at the same time are in sight without a click. */
const SHORT = 12

/**
 * @param {import('../base/session.js').Session} session @param {EventDetails} event
 * @param {(row: string) => void} open
 */
function overlaps(session, event, open) {
  if (!event.overlaps?.total) return nothing
  const { total, sum, rows } = event.overlaps
  return html`<details ?open=${total <= SHORT}><summary>At the same time ${numberText(total)} <span class="muted" title=${nsText(BigInt(sum)) + ' ns: how long they overlap it, all of them together'}>(${durationText(BigInt(sum))})</span></summary><ul class="links">${rows.map(
    one => html`<li>
    <a href="#" title=${one.name} @click=${act(() => open(one.row))}>${session.names.called.value(one.name) || 'no name'}</a> <span class="muted" title=${exactPercent(Number(one.overlap) / Number(event.duration)) + ' of this event'}>${session.model.nameOf(one.track)} · ${nsText(BigInt(one.overlap))} ns · ${percentText(Number(one.overlap) / Number(event.duration))}</span></li>`,
  )}</ul>
    ${total > rows.length ? html`<p class="muted">${numberText(total - rows.length)} more</p>` : nothing}</details>`
}

/** @param {Page} page @param {EventDetails} event */
function source(page, event) {
  if (!event.source) return nothing
  const places = placesOf(page.session),
    place = chosenPlace(page.session)
  /** Shows a line in Code. @param {number} at among places */
  const show = at =>
    act(() => {
      place.choose(at)
      page.open('code')
      document.dispatchEvent(new CustomEvent('nprof-code'))
    })
  return html`<details open><summary>Source</summary><ul class="links stack">${framesOf(event.source).map(one => html`<li>${one.file ? html`<a href="#" @click=${show(places.findIndex(other => other.text === one.text))}>${one.text}</a>` : one.text}</li>`)}</ul></details>`
}

/** @param {import('../base/session.js').Session} session @param {EventDetails} event */
function attributes(session, event) {
  const all = /** @type {[string, string | number | null | undefined][]} */ ([
    ['kind', event.kind],
    ['id', event.id],
    ['parent', event.parent],
    ['flow', event.flow],
    ['depth', event.depth],
    ['children', event.children.count || null],
    ['origin', event.origin],
    ['input', session.head.inputs[event.input]?.label ?? event.input],
    ['row', event.row],
  ])
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([key, value]) => ({
      key,
      name: key,
      value,
      unit: '',
      help: '',
      from: '',
    }))
  const fields = [...event.attributes, ...all]
  return html`<details open><summary>All ${fields.length} fields</summary><dl class="fields wide">${fields.map(
    one => html`
    <dt title=${one.help || one.key}>${one.key}</dt><dd title=${one.from === 'shared' ? 'stated once for all rows of this name' : nothing}>${attributeText(one)}</dd>`,
  )}</dl></details>`
}

/** @param {{value: unknown, unit: string}} one */
function attributeText(one) {
  const exact = String(one.value)
  const text =
    one.unit && one.unit !== 'ps'
      ? valueText(one.value, one.unit)
      : one.unit === 'ps'
        ? nsText(BigInt(exact)) + ' ns'
        : exact
  return text.split(' ')[0] === exact || !one.unit || one.unit === 'ps'
    ? folded(text, FIELD)
    : html`${text} <span class="muted">${exact}</span>`
}

/** @param {EventDetails} event */
function saveEvent(event) {
  const fields = /** @type {[string, string | number | boolean | null][]} */ ([
    ['name', event.name],
    ['category', event.category],
    ['start_ps', event.start],
    ['duration_ps', event.duration],
    ['self_ps', event.self],
    ...event.attributes.map(one => [one.key, one.value]),
  ])
  saveCsv(
    'event',
    fields.map(one => one[0]),
    [fields.map(one => one[1])],
  )
}
