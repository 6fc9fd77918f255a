// SPDX-License-Identifier: Apache-2.0
// The page of a job: who was late, a line for each rank with what its mean step is made of and how long each step was, and
// the tables of the job.
import { effect, html, nothing, svg } from '../lib/lit.js'
import { sentences } from '../base/api.js'
import { say } from '../base/element.js'
import { shortNames } from '../base/ends.js'
import { pageOfProfile } from '../base/packed.js'
import { kindOf } from '../base/step-parts.js'
import { durationText } from '../base/time.js'
import { columnAt, metricText } from '../base/values.js'
import { SPAN, titleOf } from '../timeline/model.js'
import { setting } from '../base/session.js'
import { saveCsv, scopeOf, untold } from './frame.js'
import { choice } from './operators.js'
import { mountTables } from './reports.js'
import { askedOfScope, missing } from './scoped.js'
import { tablesOf } from './subjects.js'
import { timesOf } from './table.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/values.js').Metric} Metric */
/** @typedef {import('../base/answers.d.ts').Ranks} Ranks */
/** Of a mean step, ps. @typedef {Ranks['parts'][number][number]} PartTime */
/**
 * @typedef {{rank: string, device: string | null, file: string | null, representative: string |
 *   null, row: Metric[], parts: PartTime[], waited: Metric, gain: Metric}} Line one rank
 */

const CELL = 22,
  WIDE = 66,
  LETTERS = 22,
  LETTER = 7,
  BAR = 240,
  GAP = 8,
  WAITED = 76,
  RIGHT = 76,
  TOP = 22,
  MOST_STEPS = 400
/** Up to so many steps a cell has room for its value. */
const FEW_STEPS = 16
const NEEDS = 'needs the profiles of several ranks of one job'

/** @type {import('./dock.js').Mount} */
export const ranks = (element, page) => {
  const metric = setting(page.session, 'ranks.metric', 'step')
  const { answer, dispose } = askedOfScope(page.session, () => ({
    route: 'ranks',
    params: { metric: metric.value },
  }))
  const stop = mountTables(
    element,
    page,
    'ranks',
    NEEDS,
    () => {
      const instead = missing(page.session, answer.value, true),
        { data } = answer.value
      if (instead !== nothing || !data) return instead
      if (!data.ranks.length)
        return tablesOf(page, 'ranks').length
          ? nothing
          : untold(page.session, 'ranks', data.unknown ?? NEEDS)
      return html`<div class=${scopeOf(page.session, answer.value) === 'past' ? 'past' : ''}>${stragglers(data)}${heatMap(page, data)}</div>`
    },
    () =>
      answer.value.data?.ranks.length
        ? choice('Metric', ['step', 'busy', 'exposed'], metric)
        : nothing,
    {
      csv: () => {
        const { data } = answer.value
        return data?.ranks.length ? () => save(data, metric.value) : null
      },
    },
  )
  const stopLate = effect(() => {
    const { data } = answer.value
    if (page.session.isJob && data?.stragglers.length) queueMicrotask(() => showLate(page, data))
  })
  return () => {
    stop()
    stopLate()
    dispose()
  }
}

/** On the page of a job as it is opened, the rows of the rank that is late lie on top, beside those of the median rank. @param {Page} page @param {Ranks} data */
function showLate({ session }, data) {
  const rows = byWorst(data),
    [late] = rows,
    median = middle(rows, sumOfCells)
  if (session.tree.value.pinned.length || !late.device) return
  pin(session, median && median !== late ? [late, median] : [late])
}

/** Saves the heat map: a line for each rank and step, as the server has them; what is unknown is empty, and says why. @param {Ranks} data @param {string} metric */
function save({ ranks, devices, files, steps, cells }, metric) {
  saveCsv(
    'ranks-' + metric,
    ['rank', 'device', 'file', 'step', 'value', 'unit', 'reason'],
    ranks.flatMap((rank, r) =>
      steps.map((step, c) => {
        const cell = cells[r]?.[c]
        return [
          rank,
          devices?.[r],
          files?.[r],
          step,
          cell?.value,
          cell?.unit,
          cell ? cell.reason : 'this rank has no such step',
        ]
      }),
    ),
  )
}

/** @param {Ranks} data */
const stragglers = data =>
  data.stragglers.length
    ? html`<ul class="findings">${data.stragglers.map(one => html`<li><b>${one.rank}</b> ${one.text}</li>`)}</ul>`
    : nothing

/** Puts the late ranks on top, then the slowest, so that both are seen without scrolling. @param {Ranks} data @returns {Line[]} */
function byWorst(data) {
  const late = (/** @type {string} */ rank) =>
    data.stragglers.findIndex(one => one.rank === rank) + 1 || Infinity
  return data.ranks
    .map((rank, i) => ({
      rank,
      device: data.devices?.[i] ?? null,
      file: data.files?.[i] ?? null,
      representative: data.representatives?.[i] ?? null,
      row: data.cells[i] ?? [],
      parts: data.parts?.[i] ?? [],
      waited: data.waited?.[i],
      gain: data.gains?.[i],
    }))
    .sort((a, b) =>
      late(a.rank) === late(b.rank) ? sumOfCells(b) - sumOfCells(a) : late(a.rank) - late(b.rank),
    )
}

/** @param {Line} one */
const sumOfCells = ({ row }) => row.reduce((all, cell) => all + Number(cell?.value ?? 0), 0)

/** Where the columns of the drawing begin, in pixels: bars and how long others wait have a place where they are known. @param {Line[]} rows @param {string[]} names @param {number} wide of a cell @param {number} steps */
function columnsOf(rows, names, wide, steps) {
  const bar = GAP + Math.max(...names.map(one => one.length)) * LETTER + GAP,
    waited = bar + (rows.some(one => one.parts.length) ? BAR + GAP : 0),
    cells = waited + (rows.some(one => known(one.waited)) ? WAITED + GAP : 0)
  return { bar, waited, cells, wide, end: cells + steps * wide }
}

/** @typedef {ReturnType<typeof columnsOf>} Columns */

/** @param {Page} page @param {Ranks} data */
function heatMap(page, data) {
  const rows = byWorst(data),
    steps = data.steps.slice(0, MOST_STEPS)
  const values = rows
    .flatMap(one => one.row.map(cell => Number(cell?.value ?? NaN)))
    .filter(Number.isFinite)
  const low = Math.min(...values),
    high = Math.max(...values),
    span = high - low || 1,
    some = rows[0].row[0],
    wide = steps.length > FEW_STEPS ? CELL : WIDE,
    longest = Math.max(...rows.map(one => Number(sumOf(one.parts)))),
    names = shortNames(
      rows.map(one => one.rank),
      LETTERS,
    ),
    at = columnsOf(rows, [...names.values()], wide, steps.length)
  return html`<figure class="chart"><figcaption>${values.length ? 'Ranks by steps: faint is ' + metricText({ ...some, value: low }) + ', strong ' + metricText({ ...some, value: high }) : 'unknown'}. <span class="muted">${data.stragglers.length ? 'As the page is opened, the late rank lies beside the median rank on top of the timeline. ' : ''}A click on a step shows the rank and the median rank of that step, on a name the rank and the representative of its role.${rows.some(hasGain) ? ' Without: how much shorter steps would be if that rank took no longer than the slowest other.' : ''}${data.steps.length > MOST_STEPS ? ' The first ' + MOST_STEPS + ' of ' + data.steps.length + ' steps.' : ''}</span>${gainNote(rows)}</figcaption>
    <div class="chart-scroll"><svg width=${at.end + RIGHT} height=${TOP + rows.length * CELL} role="grid" aria-label="Ranks and steps">
    ${at.waited > at.bar ? svg`<text x=${at.bar} y=${TOP - 6}>a mean step</text>` : nothing}
    ${at.cells > at.waited ? svg`<text x=${at.waited + WAITED} y=${TOP - 6} text-anchor="end">others wait</text>` : nothing}
    ${steps.map((step, c) => svg`<text x=${at.cells + c * wide + wide / 2} y=${TOP - 6} text-anchor="middle">${/\d+$/.exec(step)?.[0] ?? step.slice(0, 4)}</text>`)}
    ${rows.some(hasGain) ? svg`<text x=${at.end + RIGHT - 4} y=${TOP - 6} text-anchor="end">without</text>` : nothing}
    ${rows.map(
      (
        _one,
        r,
      ) => svg`<g role="row">${header(page, rows, r, names.get(rows[r].rank) ?? '', at.bar - GAP)}
      ${partsOf(rows[r], at.bar, TOP + r * CELL, longest)}${at.cells > at.waited ? waitedText(rows[r], at.waited + WAITED, TOP + r * CELL + 15) : nothing}
      ${steps.map((step, c) => cell(page, rows, r, c, step, { low, span, at }))}${gainText(rows[r], at.end + RIGHT - 4, TOP + r * CELL + 15)}</g>`,
    )}</svg></div></figure>`
}

/** @param {PartTime[]} parts */
const sumOf = parts => parts.reduce((sum, { time }) => sum + BigInt(time), 0n)

/** What a part is called in a bar of a rank: idle time is of all causes. @param {string} part */
const partName = part => (part === 'idle' ? 'Idle' : kindOf(part).name)

/** The bar of a mean step of a rank, on one scale for all. @param {Line} one @param {number} x @param {number} y @param {number} longest ps */
function partsOf({ rank, parts }, x, y, longest) {
  if (!parts.length) return nothing
  const told = parts.map(one => partName(one.part) + ' ' + durationText(BigInt(one.time))),
    label = rank + ', a mean step of ' + durationText(sumOf(parts)) + ': ' + told.join(', ')
  let from = 0
  const bars = parts.map(({ part, time }) => {
    const left = (from / longest) * BAR,
      width = (Number(time) / longest) * BAR
    from += Number(time)
    return svg`<rect class=${'rank-part ' + (part === 'idle' ? 'idle' : kindOf(part).look)} x=${x + left} y=${y + 4} width=${width} height=${CELL - 9}></rect>`
  })
  return svg`<g role="gridcell" aria-label=${label}><title>${label}</title>${bars}</g>`
}

/** @param {Metric | undefined} metric */
const known = metric => metric !== undefined && metric.value !== null

/** For how long others wait for a rank in all collectives. @param {Line} one @param {number} x @param {number} y */
function waitedText({ rank, waited }, x, y) {
  const text = known(waited) ? metricText(/** @type {Metric} */ (waited)) : 'unknown',
    label = 'Others wait for ' + rank + ': ' + text + (known(waited) ? '' : ', ' + waited?.reason)
  return svg`<text class=${known(waited) && Number(waited?.value) ? 'heat-waited' : 'heat-waited muted'} x=${x} y=${y} text-anchor="end" role="gridcell" aria-label=${label}><title>${label}</title>${text}</text>`
}

/** @param {Line} one */
const hasGain = one => known(one.gain)

/** What the steps of the job are shorter by without a rank. @param {Line} one @param {number} x @param {number} y */
function gainText(one, x, y) {
  if (!one.gain || !hasGain(one)) return nothing
  const text = metricText(one.gain)
  return svg`<text class="heat-gain" x=${x} y=${y} text-anchor="end" role="gridcell" aria-label=${'Without ' + one.rank + ' steps would be ' + text + ' shorter'}><title>${'If ' + one.rank + ' took no longer than the slowest other, steps would be ' + text + ' shorter'}</title>${Number(one.gain.value) ? '−' : ''}${text}</text>`
}

/** Why it is unknown of any rank. @param {Line[]} rows */
function gainNote(rows) {
  const first = rows.find(one => one.gain)
  return !first || rows.some(hasGain)
    ? nothing
    : html` <span class="unknown">How much shorter steps would be without a rank is unknown: ${first.gain?.reason}.</span>`
}

/** A link to the rows of a rank and of the representative of its role. @param {Page} page @param {Line[]} rows @param {number} r @param {string} name that has room @param {number} x */
function header(page, rows, r, name, x) {
  const { session } = page,
    pinned = besideRole(rows, rows[r]).flatMap(line => rowsOf(session, line)),
    go = (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      showRank(page, rows, rows[r])
    }
  return svg`<g role="rowheader"><a class="heat-name" tabindex="0" href=${pageOfProfile(session.id) + (pinned.length ? '?tr=' + pinned.map(hash => 'p:' + hash).join(',') : '')} @click=${go}><text x=${x} y=${TOP + r * CELL + 15} text-anchor="end">${name === rows[r].rank ? nothing : svg`<title>${rows[r].rank}</title>`}${name}</text></a></g>`
}

/** @param {Page} page @param {Line[]} rows @param {number} r @param {number} c @param {string} step @param {{low: number, span: number, at: Columns}} scale of values, and where cells are */
function cell(page, rows, r, c, step, { low, span, at }) {
  const metric = rows[r].row[c],
    there = known(metric),
    x = at.cells + c * at.wide
  const label =
    rows[r].rank +
    ', step ' +
    step +
    ': ' +
    (there ? metricText(metric) : 'unknown: ' + (metric?.reason ?? 'this rank has no such step'))
  const go = () => showStep(page, rows, r, c, step).catch(error => say(sentences(error)))
  return svg`<rect class="heat" role="gridcell" tabindex="0" aria-label=${label} x=${x} y=${TOP + r * CELL} width=${at.wide - 1} height=${CELL - 1} fill=${there ? 'var(--k)' : 'none'} stroke=${there ? 'none' : 'var(--x)'}
    fill-opacity=${there ? 0.15 + 0.85 * ((Number(metric.value) - low) / span) : 1} @click=${go} @keydown=${(
      /** @type {KeyboardEvent} */ event,
    ) => {
      if (event.key === 'Enter') go()
    }}><title>${label}</title></rect>
    ${at.wide > CELL && there ? svg`<text class="caption" x=${x + at.wide / 2} y=${TOP + r * CELL + 15} text-anchor="middle" aria-hidden="true">${metricText(metric)}</text>` : nothing}`
}

/** The rank whose value is in the middle. @param {Line[]} rows @param {(line: Line) => number} valueOf @returns {Line | undefined} */
function middle(rows, valueOf) {
  const sorted = [...rows].sort((a, b) => valueOf(a) - valueOf(b))
  return sorted[Math.floor((sorted.length - 1) / 2)]
}

/** Puts the rows of these ranks on top of the timeline. @param {import('../base/session.js').Session} session @param {Line[]} lines */
function pin(session, lines) {
  const pinned = lines.flatMap(line => rowsOf(session, line))
  session.tree.value = { ...session.tree.value, pinned: [...new Set(pinned)] }
}

/** A rank, and the representative of its role where that is another. @param {Line[]} rows @param {Line} one */
function besideRole(rows, one) {
  const stands = rows.find(line => line.rank === one.representative && line !== one)
  return stands ? [one, stands] : [one]
}

/** Shows all of a rank beside the representative of its role. @param {Page} page @param {Line[]} rows @param {Line} one */
function showRank({ session }, rows, one) {
  const lines = besideRole(rows, one),
    [, stands] = lines,
    { t0, t1 } = session.whole
  if (!one.device) return say('No profile of ' + one.rank + ' is among the inputs.')
  pin(session, lines)
  session.show(t0, t1, true)
  say(
    one.rank +
      (stands
        ? ', with the representative of its role, ' + stands.rank
        : ', the representative of its role'),
  )
}

/** Selects the step of a rank, with its rows and those of the median rank on top of the timeline. @param {Page} page @param {Line[]} rows @param {number} r @param {number} c @param {string} step */
async function showStep(page, rows, r, c, step) {
  const { session } = page,
    one = rows[r],
    median = middle(
      rows.filter(line => known(line.row[c])),
      line => Number(line.row[c].value),
    )
  const times = await stepOf(session, one, step)
  if (!times) return say('The profile of ' + one.rank + ' has no step ' + step + '.')
  const beside = median && median !== one ? [one, median] : [one]
  pin(session, beside)
  session.select({ kind: 'step', step, ...times })
  session.showSpan(times.t0, times.t1, 0.05)
  say(one.rank + ', step ' + step + (beside[1] ? ', with the median rank, ' + beside[1].rank : ''))
}

/** When a rank had a step: table steps names it as its profile does, such as ProfilerStep#3. @param {import('../base/session.js').Session} session @param {Line} line @param {string} step */
async function stepOf(session, line, step) {
  const { columns, rows } = await session.ask('steps', { n: 10000 }),
    at = (/** @type {string} */ name) => columnAt(columns, name)
  const named = (/** @type {string} */ name) => name === step || /\d+$/.exec(name)?.[0] === step
  const row = rows.find(
    one =>
      named(String(one[at('step')])) &&
      (line.file ? one[at('input')] === line.file : one[at('device')] === line.device),
  )
  return row ? timesOf(columns, row) : null
}

/** Rows of the device of a rank; hashes of the tree. @param {import('../base/session.js').Session} session @param {Line} line */
function rowsOf(session, line) {
  const { model } = session,
    drawn = [...model.tracks.values()].filter(track =>
      (model.lanesOf.get(track.track) ?? []).some(lane => lane.type === SPAN),
    )
  return drawn
    .filter(
      track =>
        model.pathOf(track.track).some(above => titleOf(above) === line.device) &&
        (!line.file || titleOf(model.pathOf(track.track)[0]) === line.file),
    )
    .slice(0, 4)
    .map(track => track.hash)
}
