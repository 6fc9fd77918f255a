// SPDX-License-Identifier: Apache-2.0
// What the right panel has while nothing is selected: what to do first, with what it brings, and the figures of the run.
import { slowest, stepBy, wholeGap } from '../base/find.js'
import { shortOf } from '../base/ends.js'
import { withRest } from '../base/rest.js'
import { stepMedian } from '../base/steps.js'
import { durationText, nsText } from '../base/time.js'
import { cellText, columnAt, metricText, tinyText, unbroken } from '../base/values.js'
import { html, nothing, signal } from '../lib/lit.js'
import { showGap } from './shown.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('../base/values.js').Metric} Metric */
/**
 * What stands out, as the server says it.
 * @typedef {import('../base/answers.d.ts').Finding} Finding
 */
/** One thing to do, or that stands out; `full` is the title where it is shortened, `stake` the time and of what it is, `why` the rule. @typedef {{title: string, full?: string, stake: {time: bigint, of: string} | null, evidence: string, advice: string | null, gain: string | null, why?: unknown, show?: () => void}} Item */

/** Open at first; the others unfold. */
const OPEN = 3

/** Letters that a name has in a title. */
const LETTERS = 28

/** The sentence without the time at stake, which stands below it: long names lose their middle. @param {Finding} finding */
function told({ text, at_stake: { value } }) {
  const full = value === null ? text : text.replace(` (${durationText(BigInt(value))})`, ''),
    title = full
      .split(' ')
      .map(word => shortOf(word, LETTERS))
      .join(' ')
  return { title, full: title === full ? undefined : full }
}

/** What of a mean step, where that is known, else of all steps. @param {Finding} finding @returns {Item['stake']} */
function stakeOf({ at_stake: { value }, each, devices }) {
  const several = (devices ?? 0) > 1 ? `, ${each ? 'one' : 'the most'} of ${devices} devices` : ''
  if (each)
    return {
      time: BigInt(each.time),
      of: 'of ' + durationText(BigInt(each.of)) + (BASES[each.base] ?? '') + several,
    }
  return value === null ? null : { time: BigInt(value), of: 'at stake' + several }
}

/** What table verdict is of, where that is several. @type {Record<string, string>} */
const BASES = { step: ' a step', phase: ' a step', period: ' a period' }

/** The rule of a finding, its exact time, and where the manual has more, such as the columns that
 * it is of.
 * @param {Finding} finding */
const whyOf = ({ answer, threshold, at_stake: { value, source } }) =>
  html`<dl class="because">${threshold ? html`<dt>rule</dt><dd>${threshold}</dd>` : nothing}<dt>time</dt><dd>${value === null ? source : nsText(BigInt(value)) + ' ns'}</dd><dt>manual</dt><dd>${answer ? html`<code>nprof answers ${answer}</code>, ` : nothing}nprof-answers(1)</dd></dl>`

/** @param {Page} page @param {Finding} finding @returns {Item} */
const itemOfFinding = (page, finding) => ({
  ...told(finding),
  stake: stakeOf(finding),
  evidence: finding.detail,
  advice: finding.advice,
  gain: finding.gain,
  why: whyOf(finding),
  show: () => withRest(rest => rest.showFinding(page, finding)),
})

/** @param {Page} page @returns {Item[]} */
const itemsOf = page => page.session.profile.findings.map(one => itemOfFinding(page, one))

/** @param {Item} item @param {number} i */
export const itemTemplate = (
  item,
  i,
) => html`<li class="advice"><span class="place">${i + 1}</span><div>
  <h3 title=${item.full ?? nothing}>${unbroken(item.title)}</h3>
  ${item.stake ? html`<p class="stake"><b>${unbroken(durationText(item.stake.time))}</b> ${item.stake.of}</p>` : nothing}
  ${item.evidence ? html`<p class="evidence">${unbroken(item.evidence)}</p>` : nothing}
  ${item.advice || item.gain ? html`<dl>${item.advice ? html`<dt>Try</dt><dd>${unbroken(item.advice)}</dd>` : nothing}${item.gain ? html`<dt>Gain</dt><dd>${unbroken(item.gain)}</dd>` : nothing}</dl>` : nothing}
  ${item.show ? html`<div class="go"><button class="as-link" @click=${item.show}>Show</button>${item.why ? html`<details class="why"><summary>Why</summary>${item.why}</details>` : nothing}</div>` : nothing}</div></li>`

/** @param {Page} page */
export function adviceTemplate(page) {
  const items = itemsOf(page),
    left = page.session.profile.findings_left_out.reduce((sum, one) => sum + one.count, 0)
  const list = (/** @type {Item[]} */ some, /** @type {number} */ from) =>
    html`<ol class="advices">${some.map((one, i) => itemTemplate(one, from + i))}</ol>`
  const others = left
    ? html`<button class="as-link" @click=${() => page.open('findings')}>${left} more break the same rules</button>`
    : nothing
  // The scope narrows tables and charts alone.
  const whole =
    page.session.scope.value === 'whole' ? nothing : html` <span class="of">of the whole run</span>`
  return html`<div class="pad advice-box"><h2>${items.length ? 'What to do first' : 'Nothing stands out'}${whole}</h2>
    ${list(items.slice(0, OPEN), 0)}
    ${items.length > OPEN ? html`<details class="more-advice"><summary>${items.length - OPEN} more finding${items.length - OPEN === 1 ? '' : 's'}</summary>${list(items.slice(OPEN), OPEN)}${others}</details>` : others}
    <h2>Figures${whole}</h2>${figures(page, page.later?.value ?? null)}${acts(page.session)}</div>`
}

/** Where to begin without a finding. @param {Session} session */
const acts = session =>
  html`<div class="acts">${known(session.head.step_median) ? html`<button title="Next step (n)" @click=${() => stepBy(session, 1)}>First step</button>` : html`<button title="Slowest event of the window (x)" @click=${() => slowest(session)}>Slowest</button>`}</div>`

/**
 * @typedef {{mbu: Metric | null, p99: string | null}} Later `p99` of the steps of the slowest
 *   device, ps
 */

/** A figure that is there only when it is known. @param {Metric | null | undefined} metric */
const known = metric => (metric?.value === null || metric?.value === undefined ? null : metric)

/** What is asked for when the lanes are there: the use of the memory, how long the slow steps are. @param {Session} session */
export function laterFigures(session) {
  const later = signal(/** @type {Later | null} */ (null))
  session.ready
    .then(async () => {
      const [{ totals }, p99] = await Promise.all([session.ask('s', { n: 1 }), slowSteps(session)])
      session.reasons.value = reasonsOf(totals)
      later.value = { mbu: totals.mbu, p99 }
    })
    .catch(() => {
      later.value = { mbu: null, p99: null }
    }) // widgets say what was wrong when they ask
  return later
}

/**
 * Sums that tables have a column of: why they are unknown.
 * @param {import('../base/answers.d.ts').Totals} totals @returns {Record<string, string>}
 */
const reasonsOf = totals =>
  Object.fromEntries(
    /** @type {const} */ ([
      'mfu',
      'hfu',
      'mbu',
      'flops',
      'bytes',
      'busy',
      'idle',
      'compute',
      'communication',
      'memory',
      'exposed',
      'overlap',
    ])
      .filter(key => totals[key].value === null && totals[key].reason)
      .map(key => [key, totals[key].reason]),
  )

/** p99 of the steps of the device whose median the head has, which the server takes from the same row: of one step it is the median. @param {Session} session @returns {Promise<string | null>} */
async function slowSteps(session) {
  if (!known(session.head.step_median)) return null
  const { columns, rows } = await session.ask('table/step_times', {
      sort: '-median_ns',
      n: 1,
    }),
    several = cellText(rows[0]?.[columnAt(columns, 'steps')]) !== '1'
  return several ? cellText(rows[0]?.[columnAt(columns, 'p99_ns')]) : null
}

/**
 * @param {string} name @param {Metric | null | undefined} metric
 * @param {string} [of] what stands behind it
 */
function figure(name, metric, of = '') {
  if (!metric) return nothing
  const there = metric.value !== null
  return html`<dt>${name}</dt><dd class="figure"><b class=${there ? '' : 'unknown'} title=${(there ? [of, tinyText(metric.value, metric.unit), metric.source].filter(Boolean).join('; ') : metric.reason) || nothing}>${there ? metricText(metric) : 'unknown'}</b>${there ? (of ? html` <span class="of">${of}</span>` : nothing) : html`<span class="why">${metric.reason}</span>`}</dd>`
}

/** Lines of the first screen that stand elsewhere, or whose figure the head of the profile has. */
const ELSEWHERE = new Set('subject verdict step idle dma fix try unknown mfu late'.split(' '))

/** What the bar of a step does not say: it has what was busy and exposed of a step, and these are of spans. @param {Page} page @param {Later | null} later */
function figures(page, later) {
  const { session } = page,
    { head, profile } = session,
    gap = wholeGap(session, session.gaps.value[0]),
    devices = head.devices.reduce((sum, one) => sum + one.count, 0)
  const lines = profile.screen.lines.filter(one => !ELSEWHERE.has(one.label) && one.head),
    mfu = profile.screen.lines.find(one => one.label === 'mfu')
  return html`<dl class="figure-list" aria-busy=${later ? nothing : 'true'}>
    ${profile.screen.window ? nothing : figure('busy', head.busy, devices > 1 ? 'of their spans' : 'of its span')}
    ${mfu && known(head.mfu) ? html`<dt>MFU</dt><dd class="figure" title=${head.mfu.source}>${mfu.text}</dd>` : figure('MFU', head.mfu)}
    ${mfu?.text.includes('MBU ') ? nothing : figure('MBU', known(later?.mbu))}
    ${profile.screen.window ? nothing : figure('exposed', known(head.exposed), devices > 1 ? 'of their spans' : 'of its span')}
    ${figure('step median', stepMedian(session), [...(later?.p99 ? ['p99 ' + durationText(BigInt(later.p99))] : []), ...(devices > 1 ? ['slowest device'] : [])].join(', '))}
    ${gap ? html`<dt>longest idle</dt><dd class="figure"><button class="as-link" title=${'The longest time that a device was idle: ' + (gap.track === null ? '' : session.model.inTables(gap.track)[0] + ', ') + nsText(gap.t1 - gap.t0) + ' ns from ' + nsText(gap.t0 - session.zero.value.t) + ' ns; cause: ' + gap.why} @click=${() => showGap(session)}><b>${durationText(gap.t1 - gap.t0)}</b></button> <span class="of">at ${durationText(gap.t0 - session.zero.value.t)}, ${gap.why}</span></dd>` : nothing}
    ${lines.map(one => html`<dt>${one.head}</dt><dd>${one.text}</dd>`)}
    ${profile.screen.lines.filter(one => one.label === 'unknown').map(one => html`<dt>not known</dt><dd class="why">${one.text}</dd>`)}</dl>`
}
