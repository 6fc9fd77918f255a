// SPDX-License-Identifier: Apache-2.0
// Roofline: what each operator, layer or step reaches, beside what its arithmetic intensity allows.
import { html, nothing, svg } from '../lib/lit.js'
import { gridLines, logarithmic } from '../charts/scale.js'
import { durationText } from '../base/time.js'
import { deviceText, numberText, valueText } from '../base/values.js'
import { CSS } from '../timeline/colours.js'
import { setting } from '../base/session.js'
import { bar, live, metricSpan, saveCsv, scopeOf, untold } from './frame.js'
import { gridTemplate, sortRows } from './grid.js'
import { follow } from './operator-rows.js'
import { barColours, choice } from './operators.js'
import { askedOfScope, missing, scopeNote, tablesCommand } from './scoped.js'

/** @typedef {import('./dock.js').Page} Page */

const WIDTH = 680,
  HEIGHT = 360,
  LEFT = 84,
  FOOT = 40,
  CAPTION = 28,
  FEW = 3

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
      csv: data?.points?.length
        ? () =>
            saveCsv(
              'roofline',
              [level.value, 'device', 'time_ps', 'flop_per_s', 'flop_per_byte', 'reason'],
              data.points.map((/** @type {any} */ point) => [
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
        ${instead}<div class=${scopeOf(session, answer.value) === 'past' ? 'scrolled past' : 'scrolled'}>${!data ? nothing : data.points.length ? html`${roofs(data)}${chart(page, data, level.value)}${points(page, data, level.value)}` : html`${untold(session, 'roofline', data.unknown)}${roofs({ roofs: data.roofs.filter(isKnown) })}`}</div>`
  })
  return () => {
    stop()
    dispose()
  }
}

/** Whether a device states a peak at least. @param {any} roof */
const isKnown = roof => roof.flops.value !== null || roof.bandwidth.value !== null

/** @param {any} data */
const roofs = data =>
  !data.roofs.length
    ? nothing
    : html`<dl class="totals roofs">${alike(data.roofs).map(({ names, roof }) => html`<div><dt title=${names.join(', ')}>${listed(names)}</dt> <dd>${metricSpan(roof.flops)} · ${roof.bandwidth.value === null ? 'bandwidth ' : nothing}${metricSpan(roof.bandwidth)} <span class="muted">(${roof.flops.source})</span></dd></div>`)}</dl>`

/** The names of a few devices; of many the first and the last. @param {string[]} names */
const listed = names =>
  names.length > FEW
    ? names[0] + ' … ' + names[names.length - 1] + ', ' + names.length + ' devices'
    : names.join(', ')

/** Devices of one peak share a line. @param {any[]} roofs @returns {{names: string[], roof: any}[]} */
function alike(roofs) {
  const keyOf = (/** @type {any} */ roof) => JSON.stringify({ ...roof, name: '' }),
    keys = [...new Set(roofs.map(keyOf))]
  return keys
    .map(key => roofs.filter(roof => keyOf(roof) === key))
    .map(all => ({ names: all.map(roof => roof.name), roof: all[0] }))
}

/** Reached flop/s. @param {any} point */
const reached = point => Number(point.flops)

/** @param {Page} page @param {any} data @param {string} level */
function chart(page, data, level) {
  const seen = data.points.filter(
    (/** @type {any} */ point) =>
      point.intensity > 0 && Number(point.flops) > 0 && Number(point.time) > 0,
  )
  if (!seen.length)
    return untold(
      page.session,
      'roofline',
      'needs flops and bytes of one operator: the file has only one of both',
    )
  const known = data.roofs.filter(
    (/** @type {any} */ roof) => roof.flops.value !== null && roof.bandwidth.value !== null,
  )
  const ridges = known.map(
      (/** @type {any} */ roof) => Number(roof.flops.value) / Number(roof.bandwidth.value),
    ),
    tops = known.map((/** @type {any} */ roof) => Number(roof.flops.value))
  const xs = [...seen.map((/** @type {any} */ point) => point.intensity), ...ridges],
    ys = [...seen.map(reached), ...tops]
  const x = logarithmic(Math.min(...xs), Math.max(...xs) * 3, LEFT, WIDTH - 24),
    y = logarithmic(Math.min(...ys), Math.max(...ys) * 1.5, HEIGHT - FOOT, 10)
  const most = Math.max(...seen.map((/** @type {any} */ point) => Number(point.time)))
  return html`<figure class="chart"><svg width=${WIDTH} height=${HEIGHT} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label="Roofline">
    ${gridLines(y, LEFT, WIDTH, tick => valueText(tick, 'flop/s'))}
    ${x.ticks.map(tick => svg`<line class="grid-line" x1=${x.of(tick)} x2=${x.of(tick)} y1="10" y2=${HEIGHT - FOOT}></line><text x=${x.of(tick)} y=${HEIGHT - 22} text-anchor="middle">${numberText(tick)}</text>`)}
    <text x=${(LEFT + WIDTH) / 2} y=${HEIGHT - 5} text-anchor="middle">arithmetic intensity, flop/byte</text>
    ${known.map((/** @type {any} */ roof) => roofPath(roof, x, y, Math.min(...xs)))}
    ${seen.map((/** @type {any} */ point) => dot(page, point, x, y, radius(point, most), level))}${captions(
      seen,
      x,
      y,
      most,
      known.flatMap((/** @type {any} */ roof) => roofBoxes(roof, x, y, Math.min(...xs))),
    )}</svg></figure>`
}

/** The area of a dot is the time of its point. @param {any} point @param {number} most time of a point */
const radius = (point, most) => 3 + 9 * Math.sqrt(Number(point.time) / most)

/** @typedef {{x0: number, x1: number, y0: number, y1: number}} Box */

/** Names of points, those of most time first, each where it covers no dot, no roof and no other name; the table names all. @param {any[]} seen @param {import('../charts/scale.js').Scale} x @param {import('../charts/scale.js').Scale} y @param {number} most @param {Box[]} roofs */
function captions(seen, x, y, most, roofs) {
  const dots = seen
    .map(point => ({
      name: point.name,
      px: x.of(point.intensity),
      py: y.of(reached(point)),
      r: radius(point, most),
      time: Number(point.time),
    }))
    .sort((a, b) => b.time - a.time)
  /** @type {Box[]} */
  const taken = [
    ...roofs,
    ...dots.map(one => ({
      x0: one.px - one.r,
      x1: one.px + one.r,
      y0: one.py - one.r,
      y1: one.py + one.r,
    })),
  ]
  const firsts = dots.filter((one, i) => dots.findIndex(other => other.name === one.name) === i)
  return firsts.map(({ name, px, py, r }) => {
    const text = name.length > CAPTION ? name.slice(0, CAPTION - 1) + '…' : name,
      width = text.length * 6.4
    const place = [
      [1, 0],
      [-1, 0],
      [1, 1],
      [-1, 1],
      [1, 2],
      [-1, 2],
    ]
      .map(([side, line]) => [side > 0 ? px + r + 4 : px - r - 4 - width, py + 4 + 13 * line])
      .map(([x0, foot]) => ({ x0, x1: x0 + width, y0: foot - 9, y1: foot + 2 }))
      .find(
        box =>
          box.x0 > LEFT &&
          box.x1 < WIDTH &&
          box.y0 > 0 &&
          box.y1 < HEIGHT - FOOT &&
          !taken.some(
            other =>
              other.x0 < box.x1 && box.x0 < other.x1 && other.y0 < box.y1 && box.y0 < other.y1,
          ),
      )
    if (!place) return nothing
    taken.push(place)
    return svg`<text class="caption" x=${place.x0} y=${place.y1 - 2} aria-hidden="true">${text}</text>`
  })
}

/** Where a roof begins, its ridge, and its end. @param {any} roof @param {import('../charts/scale.js').Scale} x @param {import('../charts/scale.js').Scale} y @param {number} low @returns {[number, number][]} */
function corners(roof, x, y, low) {
  const flops = Number(roof.flops.value),
    bandwidth = Number(roof.bandwidth.value),
    ridge = flops / bandwidth,
    from = Math.min(low, ridge) / 2
  return [
    [x.of(from), y.of(from * bandwidth)],
    [x.of(ridge), y.of(flops)],
    [WIDTH - 24, y.of(flops)],
  ]
}

/** What a roof covers: small boxes along its slope, and the flat part. @param {any} roof @param {import('../charts/scale.js').Scale} x @param {import('../charts/scale.js').Scale} y @param {number} low @returns {Box[]} */
function roofBoxes(roof, x, y, low) {
  const [[x0, y0], [x1, y1], [x2]] = corners(roof, x, y, low),
    n = Math.ceil((x1 - x0) / 4) || 1
  const slope = Array.from({ length: n }, (_, i) => ({
    x0: x0 + ((x1 - x0) * i) / n,
    x1: x0 + ((x1 - x0) * (i + 1)) / n,
    y0: y0 + ((y1 - y0) * (i + 1)) / n,
    y1: y0 + ((y1 - y0) * i) / n,
  }))
  return [...slope, { x0: x1, x1: x2, y0: y1 - 1, y1: y1 + 1 }]
}

/** @param {any} roof @param {import('../charts/scale.js').Scale} x @param {import('../charts/scale.js').Scale} y @param {number} low */
function roofPath(roof, x, y, low) {
  const flops = Number(roof.flops.value),
    bandwidth = Number(roof.bandwidth.value)
  return svg`<path class="roof" d=${
    'M ' +
    corners(roof, x, y, low)
      .map(point => point.join(' '))
      .join(' L ')
  }><title>${roof.name}: ${valueText(flops, 'flop/s')}, ${valueText(bandwidth, 'byte/s')}</title></path>`
}

/** @param {Page} page @param {any} point @param {import('../charts/scale.js').Scale} x @param {import('../charts/scale.js').Scale} y @param {number} r @param {string} level */
function dot(page, point, x, y, r, level) {
  const label =
    point.name +
    ' of ' +
    deviceText(point.device) +
    ': ' +
    valueText(reached(point), 'flop/s') +
    ' at ' +
    valueText(point.intensity, 'flop/byte') +
    ', ' +
    durationText(BigInt(point.time))
  const go = () => follow(page, point.name, level === 'operator' ? 'hlo' : level),
    colourOf = barColours(page.session)
  return svg`<circle class="dot" tabindex="0" role="button" aria-label=${label} cx=${x.of(point.intensity)} cy=${y.of(reached(point))} r=${r} fill=${CSS[colourOf(point.name)]} @click=${go} @keydown=${(
    /** @type {KeyboardEvent} */ event,
  ) => {
    if (event.key === 'Enter') go()
  }}><title>${label}</title></circle>`
}

/** @param {Page} page @param {any} data @param {string} level */
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
    data.points.map((/** @type {any} */ point) => [
      point.name,
      point.device,
      String(point.time),
      point.flops,
      point.intensity,
      point.reason ?? null,
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
    onRow: row => follow(page, String(row[0]), level === 'operator' ? 'hlo' : level),
    cell: (row, c) =>
      row[c] === null && row[5]
        ? html`<span class="unknown" tabindex="0" title=${row[5]} aria-label=${'unknown: ' + row[5]}>unknown</span>`
        : null,
  })
}
