// SPDX-License-Identifier: Apache-2.0
// Two steps beside each other: what ran of each name in both, the largest change first. Work of a device belongs to a
// step by its launch, as rows grouped by step have it; all figures are those of route s2.
import { html, nothing } from '../lib/lit.js'
import { deviceText } from '../base/values.js'
import { partsText } from '../base/parts.js'
import { setting } from '../base/session.js'
import { tracksOf } from './flame.js'
import { asked, saveTable, unknown, waiting } from './frame.js'
import { gridTemplate, sortRows } from './grid.js'
import { follow } from './operator-rows.js'

/** @typedef {import('../base/element.js').ChoiceEvent} ChoiceEvent */
/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('../base/answers.d.ts').TwoStats} TwoStats */

const ROWS = 1000

/** Tracks of a device on which work is; of all devices where it is none, as where steps are those of a host. @param {Session} session @param {string} device @returns {Set<number>} */
function workOf(session, device) {
  const { model } = session,
    all = tracksOf(session, 'devices'),
    own = all.filter(track => model.pathOf(track).some(one => (one.label || one.key) === device))
  return new Set(own.length ? own : all)
}

/** Rows state numbers of steps, and tables their names, such as ProfilerStep#3. @param {string} step */
const numberOf = step => /\d+$/.exec(step)?.[0] ?? step

/** Rows of a step, as a parameter of s2. @param {Session} session @param {string} step @param {Set<number>} tracks @returns {string | null} null: it has none there */
function partOf(session, step, tracks) {
  const group = session.groups
    .of('step')
    ?.groups.find(one => one.name === step || one.name === numberOf(step))
  const lanes = (group?.lanes ?? [])
    .map(([lane]) => session.model.lanes.get(lane)?.track ?? -1)
    .filter(track => tracks.has(track))
  const { start, end } = session.model
  return group && lanes.length
    ? start +
        '..' +
        end +
        '@' +
        partsText(
          'step',
          [...new Set(lanes)].map(track => [group.group, track]),
        )
    : null
}

/** The selected step, and what may stand beside it. @param {Session} session */
const chosenOf = session => (session.area.value?.kind === 'step' ? session.area.value.step : null)

/** @param {Page} page */
export function twoSteps(page) {
  const { session } = page,
    other = setting(session, 'steps.beside', ''),
    device = setting(session, 'steps.device', ''),
    sort = setting(session, 'steps.beside.sort', '')
  const isOn = () =>
    chosenOf(session) !== null && other.value !== '' && other.value !== chosenOf(session)
  const pair = () =>
    [chosenOf(session) ?? '', other.value].map(step => ({
      step,
      part: partOf(session, step, workOf(session, device.value)),
    }))
  const { answer, dispose } = asked(session, () => {
    const [a, b] = isOn() ? pair().map(one => one.part) : []
    return a && b ? { route: 's2', params: { a, b, n: ROWS } } : null
  })
  return {
    dispose,
    isOn,
    chooser: (/** @type {string[]} */ names) => chooser(session, names, other),
    template: () => template(page, pair(), device.value, answer.value, sort),
  }
}

/** @param {Session} session @param {string[]} names of all steps @param {import('../base/session.js').Setting} other */
function chooser(session, names, other) {
  const step = chosenOf(session)
  if (step === null) return nothing
  return html`<label class="chip keep" title=${'What ran in step ' + numberOf(step) + ' and in another one, by name'}>step ${numberOf(step)} beside <select aria-label="Step beside it" @change=${(
    /** @type {ChoiceEvent} */ event,
  ) => {
    other.value = event.target.value
  }}><option value="">none</option>${names.filter(one => one !== step).map(one => html`<option value=${one} .selected=${other.value === one}>step ${numberOf(one)}</option>`)}</select></label>`
}

/**
 * @param {Page} page @param {{step: string, part: string | null}[]} pair @param {string} device
 * @param {import('./frame.js').Answer<TwoStats>} answer
 * @param {import('../base/session.js').Setting} sort
 */
function template(page, pair, device, answer, sort) {
  const [{ step }, { step: other }] = pair,
    groups = page.session.groups.of('step'),
    none = pair.find(one => one.part === null)
  if (groups?.unknown) return unknown(groups.unknown)
  if (groups && none)
    return unknown(
      'no work of ' +
        (device ? deviceText(device) : 'a device') +
        ' is in step ' +
        numberOf(none.step),
    )
  const { data, of } = answer,
    isIts = of?.params?.a === pair[0].part && of?.params?.b === pair[1].part // not that of a pair before
  const instead = waiting(
    isIts || answer.state === 'failed' ? answer : { ...answer, state: 'asking', data: null },
  )
  if (instead !== nothing || !data) return instead
  /** @type {import('./grid.js').Column[]} */
  const columns = [
    { name: 'name', type: 'string', unit: '' },
    ...[step, other].flatMap((one, k) => [
      { name: 'count_' + 'ab'[k], title: 'count, step ' + numberOf(one), type: 'int64', unit: '' },
      { name: 'self_' + 'ab'[k], title: 'self, step ' + numberOf(one), type: 'int64', unit: 'ps' },
    ]),
    { name: 'self_change', title: 'change of self', type: 'int64', unit: 'ps' },
  ]
  const rows = data.rows.map(one => [
    one.name,
    one.count[0],
    one.self_inside[0],
    one.count[1],
    one.self_inside[1],
    one.self_change,
  ])
  return html`<h2>Step ${numberOf(step)} beside step ${numberOf(other)} <span class="muted">${data.total} names${device ? ' of ' + deviceText(device) : ''}</span> <button class="quiet" @click=${() => saveTable('steps-' + numberOf(step) + '-' + numberOf(other), { columns, rows })}>CSV</button></h2>
    ${gridTemplate({
      label: 'Two steps',
      called: page.session.names.called.value,
      columns,
      rows: sortRows(columns, rows, sort.value),
      total: data.total,
      offset: 0,
      sort: sort.value,
      onSort: next => {
        sort.value = next
      },
      onRow: row => follow(page, String(row[0]), 'hlo'),
    })}`
}
