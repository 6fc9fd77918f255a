// SPDX-License-Identifier: Apache-2.0
// Steps as bars by part, cut ones hatched; click selects the step in the timeline.
import { html, nothing, signal, svg } from '../lib/lit.js'
import { gridLines, groupNames, linear } from '../charts/scale.js'
import { causeName, kindOf } from '../base/step-parts.js'
import { durationText } from '../base/time.js'
import { fillText, fillsOfParts, hatchings, swatchText } from '../charts/fill.js'
import { css } from '../base/element.js'
import { columnAt, counted, deviceText, metricText } from '../base/values.js'
import { setting } from '../base/session.js'
import { noSteps } from '../base/step-by.js'
import { bar, live, scopeOf, unknown } from './frame.js'
import { gridTemplate, sortRows } from './grid.js'
import { askedOfScope, missing, ofPlaces, saveOfScope, scopeNote, tablesCommand } from './scoped.js'
import { choice } from './operators.js'
import { timesOf } from './table.js'
import { twoSteps } from './two-steps.js'

/** @typedef {import('./dock.js').Page} Page */
/**
 * @typedef {{step: string, input: string, device: string, group: string, t0: bigint, t1: bigint,
 *   cut: boolean, parts: [string, number][], row: Row}} Step
 */
/**
 * How far apart devices, or ranks, begin and end a step, and which ends it last.
 * @typedef {import('../base/answers.d.ts').Skew} Skew
 */
/** @typedef {import('../base/answers.d.ts').Steps} Steps */
/** @typedef {import('../base/answers.d.ts').Row} Row */

/** Pixels: of bars at least and at most, below, above and beside them, between groups and around the figure, above and below the chart. */
const LOW = 120,
  LEAST = 64,
  HIGH = 340,
  ROOM = 36,
  MARK = 16,
  LEFT = 68,
  APART = 24,
  AROUND = 152
/** As rest.css has it: where a widget is as wide, the table stands beside the bars, and they take this share of it. */
const BESIDE = 760,
  SHARE = 0.45

/** Of steps of which the parts are unknown; work of no kind has no hue. */
const UNKNOWN = 'var(--a)'

/** @type {import('./dock.js').Mount} */
export const steps = (element, given) => {
  const page = ofPlaces(given)
  const { session } = page
  const device = setting(session, 'steps.device', ''),
    sort = setting(session, 'steps.sort', ''),
    room = signal({ width: 880, height: LOW })
  const watch = new ResizeObserver(() => {
    room.value = roomOf(element) ?? room.value
  })
  watch.observe(element)
  /** Those of all steps, also while one is chosen. @type {Set<string>} */
  const devices = new Set()
  const question = () => ({
    route: /** @type {const} */ ('steps'),
    params: { device: device.value || null, n: 2000 },
  })
  const { answer, dispose } = askedOfScope(session, question)
  const beside = twoSteps(page)
  const stop = live(element, () => {
    const instead = missing(session, answer.value),
      data = instead === nothing ? answer.value.data : null
    const all = data ? stepsOf(data) : []
    if (data) for (const row of data.rows) devices.add(String(row[columnOf(data, 'device')]))
    return html`${bar({
      left: html`${choice('Device', ['', ...[...devices].sort()], device, 'all', deviceText)}${all.length ? html`<button class="quiet" title="Makes a region of each step" @click=${() => session.addRegions(marksOf(all), 'step')}>Mark</button>${beside.chooser([...new Set(all.map(one => one.step))])}` : nothing}`,
      note: [data && all.length ? counted(data.total, 'step') : '', scopeNote(session)]
        .filter(Boolean)
        .join(' · '),
      command: tablesCommand(session, ['steps']),
      filtered: device.value !== '',
      csv: data && all.length ? () => saveOfScope(session, 'steps', data, question()) : null,
    })}
      ${instead}
      ${
        data && all.length
          ? html`<div class="steps">${chart(page, all, room.value, data.skews)}${gridTemplate({
              label: 'Steps',
              zero: session.zero.value.t,
              past: scopeOf(session, answer.value) === 'past',
              columns: data.columns,
              rows: sortRows(data.columns, data.rows, sort.value),
              total: data.total,
              offset: 0,
              sort: sort.value,
              onSort: next => {
                sort.value = next
              },
              onRow: row =>
                pick(
                  page,
                  all.find(one => one.row === row),
                ),
              cell: (row, c) =>
                data.columns[c].name === 'device' ? deviceCell(all, String(row[c]), row) : null,
            })}</div>${beside.isOn() ? html`<div class="two-steps">${beside.template()}</div>` : nothing}`
          : data && !data.unknown
            ? unknown(noSteps(session))
            : nothing
      }`
  })
  return () => {
    stop()
    dispose()
    beside.dispose()
    watch.disconnect()
  }
}

/** A step of several devices at the same times is one. @param {Step[]} all */
const marksOf = all => [
  ...new Map(
    all.map(({ step, t0, t1 }) => [[step, t0, t1].join(), { name: 'step ' + step, t0, t1 }]),
  ).values(),
]

/** @typedef {{width: number, height: number}} Room pixels that bars may take */

/** Bars beside a table are as high as the widget; those above one leave it its room. @param {HTMLElement} element @returns {Room | null} null: it is not in sight */
function roomOf(element) {
  const { clientWidth: width, clientHeight: height } = element
  if (!width) return null
  return width < BESIDE
    ? { width: width - LEFT - 2 * APART, height: LOW }
    : {
        width: width * SHARE - LEFT - APART,
        height: Math.max(LEAST, Math.min(HIGH, height - ROOM - AROUND)),
      }
}

/** @param {Steps} data @param {string} name */
const columnOf = (data, name) => columnAt(data.columns, name)

/** @param {Steps} data @returns {Step[]} */
function stepsOf(data) {
  const [inputAt, deviceAt, stepAt, cutAt] = ['input', 'device', 'step', 'cut'].map(name =>
    columnOf(data, name),
  )
  const several = new Set(data.rows.map(row => row[inputAt])).size > 1
  return data.rows
    .flatMap(row => {
      const times = timesOf(data.columns, row)
      if (!times) return []
      const step = String(row[stepAt]),
        input = String(row[inputAt]),
        device = String(row[deviceAt])
      const groupOf = (/** @type {string} */ of) => (several ? input + ' ' : '') + deviceText(of)
      const own = {
        step,
        input,
        device,
        group: groupOf(device),
        ...times,
        cut: String(row[cutAt]) === 'true',
        row,
      }
      const found = partsOf(data, { stepAt, inputAt }, input, step, device)
      return found.length
        ? found.map(one => ({
            ...own,
            device: one.device,
            group: groupOf(one.device),
            parts: one.parts,
          }))
        : [{ ...own, parts: [] }]
    })
    .sort((a, b) => (a.group === b.group ? 0 : a.group < b.group ? -1 : 1))
}

/**
 * Of what a step consists on its device; a step of a host consists of what the devices did for it,
 * where no other host of its input has one of the name.
 * @param {Steps} data @param {{stepAt: number, inputAt: number}} at columns @param {string} input
 * @param {string} step @param {string} device
 * @returns {{device: string, parts: [string, number][]}[]}
 */
function partsOf(data, { stepAt, inputAt }, input, step, device) {
  const all = data.parts.filter(one => String(one.step) === step && one.input === input),
    own = all.filter(one => one.device === device)
  const hosts = data.rows.filter(
    row => String(row[stepAt]) === step && String(row[inputAt]) === input,
  ).length
  return (own.length ? own : hosts === 1 ? all : []).map(one => ({
    device: one.device,
    parts: Object.entries(one.parts).map(
      ([name, ps]) => /** @type {[string, number]} */ ([name, Number(ps)]),
    ),
  }))
}

/**
 * The table calls devices as the bars do: of a step that a host announces those that worked for it.
 * @param {Step[]} all @param {string} announced @param {Row} row
 */
function deviceCell(all, announced, row) {
  const own = [...new Set(all.filter(one => one.row === row).map(one => one.device))]
  if (!own.length || own.includes(announced)) return null
  return html`<span title=${'the work of this step; ' + deviceText(announced) + ' announces it'}>${own.map(deviceText).join(', ')}</span>`
}

/** @param {Page} page @param {Step | undefined} step */
function pick(page, step) {
  if (!step) return
  page.session.select({ kind: 'step', step: step.step, t0: step.t0, t1: step.t1 })
  page.session.showSpan(step.t0, step.t1, 0.05)
}

/** Bars of a group stand together; few are wider. @param {Step[]} all @param {number} room pixels @returns {{places: number[], pitch: number, groups: {name: string, x: number}[], end: number}} */
function placesOf(all, room) {
  const apart = APART * (new Set(all.map(one => one.group)).size - 1),
    pitch = Math.max(24, Math.min(64, Math.floor((room - apart) / all.length)))
  /** @type {number[]} */
  const places = []
  /** @type {{name: string, x: number}[]} */
  const groups = []
  let x = LEFT
  for (const [i, one] of all.entries()) {
    if (one.group !== all[i - 1]?.group) {
      if (i) x += APART
      groups.push({ name: one.group, x })
    }
    places.push(x)
    x += pitch
  }
  return { places, pitch, groups, end: x }
}

/** @param {Page} page @param {Step[]} all @param {Room} room @param {Skew[]} skews */
function chart(page, all, { width: room, height }, skews) {
  const now = page.session.selection.value,
    { places, pitch, groups, end } = placesOf(all, room),
    width = Math.max(Math.min(300, room + APART), end)
  const most = all.reduce((sum, one) => Math.max(sum, Number(one.t1 - one.t0)), 1),
    y = linear(0, most, height, 6 + MARK)
  const names = [
      ...new Set(all.flatMap(one => one.parts.filter(part => part[1] > 0).map(part => part[0]))),
    ],
    fills = fillsOfParts(names),
    late = byStep(skews),
    skewed = skewText(all, skews, now?.kind === 'step' ? now.step : null)
  return html`<figure class="chart"><figcaption>${names.length ? nothing : html`<span class="muted">parts unknown: the file does not tell what devices did in them</span>`}${[...fills].map(([name, fill]) => html`<span class="key"><span class="swatch" ${css({ background: swatchText(fill) })}></span>${partText(name)}</span>`)}${names.length && all.some(one => !one.parts.length) ? html`<span class="key" title="Parts are of the program that takes most time, and of steps"><span class="swatch" ${css({ background: UNKNOWN })}></span>other programs: parts unknown</span>` : nothing}</figcaption>
    <div class="chart-scroll"><svg class="steps-chart" width=${width} height=${height + ROOM} role="group" aria-label="Duration of steps">
      ${hatchings(fills.values())}${gridLines(y, LEFT - 4, width, tick => durationText(BigInt(Math.round(tick))))}
      ${all.map((one, i) => bars(page, one, places[i], pitch - 6, height, y, fills, lateOf(late, one), now?.kind === 'step' && now.step === one.step && now.t0 === one.t0))}
      ${groupNames(groups, width, height + 30)}</svg></div><p class="muted skew" title=${skewed}>${skewed}</p></figure>`
}

/** What skews call a step: tables of ranks number steps, and those of devices name them. @param {Step} one */
const callsOf = ({ step }) => [step, ...(/\d+$/.exec(step) ?? [])]

/** Skews by what they call their step. @param {Skew[]} skews */
function byStep(skews) {
  /** @type {Map<string, Skew[]>} */
  const all = new Map()
  for (const skew of skews) if (!all.get(skew.step)?.push(skew)) all.set(skew.step, [skew])
  return all
}

/** The skew of a step, if it is this device, or rank, that ends it last, and not all at once. @param {ReturnType<typeof byStep>} skews @param {Step} one */
const lateOf = (skews, one) =>
  callsOf(one)
    .flatMap(step => skews.get(step) ?? [])
    .find(
      skew =>
        Number(skew.end.value) > 0 &&
        (skew.input === null || skew.input === one.input) &&
        (skew.last === one.device || /^rank \d+$/.test(skew.last ?? '')),
    )

/** Says of the selected step, else of the one whose ends are furthest apart, which device ends it last, and by how much. @param {Step[]} all @param {Skew[]} skews @param {string | null} chosen */
function skewText(all, skews, chosen) {
  const steps = new Set(all.filter(one => chosen === null || one.step === chosen).flatMap(callsOf)),
    shown = skews.filter(skew => steps.has(skew.step))
  const known = shown
      .filter(skew => skew.end.value !== null)
      .sort((a, b) => Number(b.end.value) - Number(a.end.value)),
    [one] = known
  if (!one)
    return shown.length ? 'how far apart devices end a step is unknown: ' + shown[0].end.reason : ''
  const end = metricText(one.end),
    begin = metricText(one.begin),
    of =
      (chosen === null && known.length > 1 ? 'Most in step ' : 'Step ') +
      (/\d+$/.exec(one.step)?.[0] ?? one.step)
  return (
    (Number(one.end.value)
      ? '▲ ' + of + ': ' + deviceText(one.last ?? '') + ' ends last, ' + end + ' after the first'
      : of + ': all end at once') +
    '; they begin within ' +
    begin +
    '.'
  )
}

/** What table step_breakdown calls otherwise than verdict_parts. @type {Record<string, string>} */
const PARTS = { exposed_communication: 'comm', exposed_copy: 'copy' }

/** @param {string} name such as exposed_communication */
const partText = name =>
  name.startsWith('idle_')
    ? causeName(name.slice('idle_'.length))
    : kindOf(PARTS[name] ?? name).name.replaceAll('_', ' ')

/** @param {Page} page @param {Step} one @param {number} x @param {number} width @param {number} height @param {import('../charts/scale.js').Scale} y @param {ReturnType<typeof fillsOfParts>} fills @param {Skew | undefined} late of the device that ends the step last @param {boolean} current */
function bars(page, one, x, width, height, y, fills, late, current) {
  const whole = Number(one.t1 - one.t0)
  let at = 0
  const parts = one.parts.length ? one.parts : /** @type {[string, number][]} */ ([['step', whole]])
  const label =
    'Step ' +
    one.step +
    ' of ' +
    one.group +
    ': ' +
    durationText(one.t1 - one.t0) +
    (one.cut ? ', cut' : '') +
    (one.parts.length ? '' : ', parts unknown') +
    one.parts.map(([name, ps]) => ', ' + partText(name) + ' ' + durationText(BigInt(ps))).join('') +
    (late ? ', ends last, ' + metricText(late.end) + ' after the first' : '')
  return svg`<g class="bar-group ${current ? 'current' : ''} ${one.cut ? 'cut' : ''}" tabindex="0" role="button" aria-label=${label} @click=${() => pick(page, one)} @keydown=${(
    /** @type {KeyboardEvent} */ event,
  ) => {
    if (event.key === 'Enter') pick(page, one)
  }}>
    <title>${label}</title><rect class="back" x=${x} width=${width} y=${y.of(whole)} height=${Math.max(0, height - y.of(whole))}></rect>
    ${parts.map(([name, ps]) => {
      const from = at,
        fill = fills.get(name)
      at += ps
      return svg`<rect x=${x} width=${width} y=${y.of(at)} height=${Math.max(0, y.of(from) - y.of(at))} fill=${fill ? fillText(fill) : UNKNOWN}></rect>`
    })}
    ${late ? svg`<text class="late" x=${x + width / 2} y=${y.of(whole) - 4} text-anchor="middle" aria-hidden="true">▲</text>` : nothing}<text x=${x + width / 2} y=${height + 14} text-anchor="middle">${/\d+$/.exec(one.step)?.[0] ?? one.step.slice(0, 3)}</text></g>`
}
