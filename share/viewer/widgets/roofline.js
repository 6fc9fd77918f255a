// SPDX-License-Identifier: Apache-2.0
// Roofline: what each operator, layer or step reaches, beside what its arithmetic intensity allows.
import { guard, html, nothing } from '../lib/lit.js'
import { CSS } from '../timeline/colours.js'
import { setting } from '../base/session.js'
import { bar, live, metricSpan, saveCsv, scopeOf, untold } from './frame.js'
import { gridTemplate, sortRows } from './grid.js'
import { follow } from './operator-rows.js'
import { barColours, choice } from './operators.js'
import { askedOfScope, missing, scopeNote, tablesCommand } from './scoped.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/answers.d.ts').Roofline} Roofline */
/** @typedef {import('../base/answers.d.ts').Roof} Roof */

const FEW = 3

/** @type {import('./dock.js').Mount} */
export const roofline = (element, page) => {
  const { session } = page
  const level = setting(session, 'roofline.level', 'operator'),
    device = setting(session, 'roofline.device', '')
  const { answer, dispose } = askedOfScope(session, () => ({
    route: 'roofline',
    params: { level: level.value, device: device.value || null },
  }))
  const stop = live(element, () => {
    const instead = missing(session, answer.value, true),
      data = instead === nothing ? answer.value.data : null
    const devices = [...session.model.tracks.values()]
      .filter(track => track.kind === 'device')
      .map(track => track.label)
    return html`${bar({
      note: scopeNote(session),
      left: html`${choice('Points', ['operator', 'layer', 'step'], level)}${choice('Device', ['', ...devices], device, 'all')}`,
      command: tablesCommand(session, ['mfu']),
      csv: data?.points.length
        ? () =>
            saveCsv(
              'roofline',
              [level.value, 'device', 'time_ps', 'flop_per_s', 'flop_per_byte', 'reason'],
              data.points.map(point => [
                point.name,
                point.device,
                point.time,
                point.flops,
                point.intensity,
                point.reason,
              ]),
            )
        : null,
    })}
        ${instead}<div class=${scopeOf(session, answer.value) === 'past' ? 'scrolled past' : 'scrolled'}>${!data ? nothing : data.points.length ? html`${roofs(data)}${chart(page, data, level.value)}${points(page, data, level.value)}` : html`${untold(session, 'roofline', data.unknown ?? '')}${roofs({ roofs: data.roofs.filter(isKnown) })}`}</div>`
  })
  return () => {
    stop()
    dispose()
  }
}

/** Whether a device states a peak at least. @param {Roof} roof */
const isKnown = roof => roof.flops.value !== null || roof.bandwidth.value !== null

/** @param {Pick<Roofline, 'roofs'>} data */
const roofs = data =>
  !data.roofs.length
    ? nothing
    : html`<dl class="totals roofs">${alike(data.roofs).map(({ names, roof }) => html`<div><dt title=${names.join(', ')}>${listed(names)}</dt> <dd>${metricSpan(roof.flops)} · ${roof.bandwidth.value === null ? 'bandwidth ' : nothing}${metricSpan(roof.bandwidth)} <span class="muted">(${roof.flops.source})</span></dd></div>`)}</dl>`

/** The names of a few devices; of many the first and the last. @param {string[]} names */
const listed = names =>
  names.length > FEW
    ? names[0] + ' … ' + names[names.length - 1] + ', ' + names.length + ' devices'
    : names.join(', ')

/**
 * Devices of one peak share a line.
 * @param {Roof[]} roofs @returns {{names: string[], roof: Roof}[]}
 */
function alike(roofs) {
  const keyOf = (/** @type {Roof} */ roof) => JSON.stringify({ ...roof, name: '' }),
    keys = [...new Set(roofs.map(keyOf))]
  return keys
    .map(key => roofs.filter(roof => keyOf(roof) === key))
    .map(all => ({ names: all.map(roof => roof.name), roof: all[0] }))
}

/**
 * The picture of the server, whose points lead to their events.
 * @param {Page} page @param {Roofline} data @param {string} level
 */
function chart(page, data, level) {
  const { picture } = data
  if (!picture)
    return untold(
      page.session,
      'roofline',
      'needs flops and bytes of one operator: the file has only one of both',
    )
  const colourOf = barColours(page.session)
  return html`<figure class="chart">${guard(
    [data, page.session.colours.value, page.session.names.version.value],
    () =>
      drawn(
        picture,
        row => goTo(page, data.points[row].name, level),
        row => CSS[colourOf(data.points[row].name)],
        row => data.points[row].name + ' of ' + data.points[row].device,
      ),
  )}</figure>`
}

/** Selects what a point is. @param {Page} page @param {string} name @param {string} level */
const goTo = (page, name, level) => follow(page, name, level === 'operator' ? 'hlo' : level)

/** A picture that the server drew, in which names are escaped; what has a row gets its colour,
 * acts, and keeps the focus that it has in the picture before.
 * @param {string} markup
 * @param {(row: number) => void} act
 * @param {(row: number) => string} colourOf
 * @param {(row: number) => string} nameOf */
function drawn(markup, act, colourOf, nameOf) {
  const template = document.createElement('template'),
    held = document.querySelector('.roofline .dot:focus')?.getAttribute('data-name')
  template.innerHTML = markup
  template.content.firstElementChild?.setAttribute('role', 'group')
  for (const shape of /** @type {NodeListOf<SVGElement>} */ (
    template.content.querySelectorAll('[data-row]')
  )) {
    const row = Number(shape.getAttribute('data-row')),
      go = () => act(row)
    for (const [name, value] of Object.entries({
      fill: colourOf(row),
      'data-name': nameOf(row),
      tabindex: '0',
      role: 'button',
      'aria-label': shape.textContent ?? '',
    }))
      shape.setAttribute(name, value)
    shape.addEventListener('click', go)
    shape.addEventListener('keydown', event => {
      if (event.key === 'Enter') go()
    })
    if (held === nameOf(row)) queueMicrotask(() => shape.focus({ preventScroll: true }))
  }
  return template.content
}

/** @param {Page} page @param {Roofline} data @param {string} level */
function points(page, data, level) {
  const columns = [
    { name: level, type: 'string', unit: '' },
    { name: 'device', type: 'string', unit: '' },
    { name: 'time', type: 'int64', unit: 'ps' },
    { name: 'reached', type: 'double', unit: 'flop/s' },
    { name: 'intensity', type: 'double', unit: 'flop/byte' },
  ]
  const rows = sortRows(
    columns,
    data.points.map(point => [
      point.name,
      point.device,
      String(point.time),
      point.flops,
      point.intensity,
      point.reason,
    ]),
    '-time',
  )
  return gridTemplate({
    label: 'Points of the roofline',
    called: page.session.names.called.value,
    columns,
    rows,
    total: rows.length,
    offset: 0,
    sort: '-time',
    onRow: row => goTo(page, String(row[0]), level),
    cell: (row, c) =>
      row[c] === null && row[5]
        ? html`<span class="unknown" tabindex="0" title=${row[5]} aria-label=${'unknown: ' + row[5]}>unknown</span>`
        : null,
  })
}
