// SPDX-License-Identifier: Apache-2.0
// The cards and findings over the dock: the first thing that people read. Each is a link to what it says.
import { html, nothing, signal } from '../lib/lit.js'
import { css } from '../base/element.js'
import { differingAt, endsOf } from '../base/ends.js'
import { durationText, nsText } from '../base/time.js'
import { counted, deviceText, metricText, numberText, tinyText, valueText } from '../base/values.js'
import { countOf, showFinding } from '../widgets/findings.js'

/** @typedef {import('./profile.js').ProfilePage} ProfilePage */

/** @param {string} name @param {any} metric @param {() => void} run @param {string} [of] what stands behind it: what it is a share of, or another figure */
function card(name, metric, run, of = '') {
  if (!metric) return nothing
  const known = metric.value !== null
  return html`<button class="card" title=${known ? [of, tinyText(metric.value, metric.unit), metric.source].filter(Boolean).join('; ') : metric.reason} @click=${run}><span class="card-name">${name}</span> <b class=${known ? '' : 'unknown'}>${known ? metricText(metric) : 'unknown'}</b>${known ? (of ? html`<span class="of">${of}</span>` : nothing) : html`<span class="why">: ${metric.reason}</span>`}</button>`
}

/** @typedef {{mbu: any, top: {name: string, share: string, device: string} | null, p99: string | null}} Later `p99` of the steps of the slowest device, ps */

/** A card that is there only when it is known. @param {any} metric */
const known = metric => (metric?.value === null || metric?.value === undefined ? null : metric)

/** What is asked for when the lanes are there: the use of the memory, the operator that took most, how long the slow steps are. @param {ProfilePage} page */
export function laterCards(page) {
  const { session } = page, later = signal(/** @type {Later | null} */ (null))
  session.ready.then(async () => {
    const [{ totals }, top, p99] = await Promise.all([session.ask('s', { n: 1 }), topOperator(session), slowSteps(session)])
    session.reasons.value = reasonsOf(totals)
    later.value = { mbu: totals.mbu, top, p99 }
  }).catch(() => { later.value = { mbu: null, top: null, p99: null } }) // widgets say what was wrong when they ask
  return later
}

/** Sums that tables have a column of: why they are unknown. @param {Record<string, any>} totals @returns {Record<string, string>} */
const reasonsOf = totals => Object.fromEntries(['mfu', 'hfu', 'mbu', 'flops', 'bytes', 'busy', 'idle', 'compute', 'communication', 'memory', 'exposed', 'overlap'].filter(key => totals[key]?.value === null && totals[key].reason).map(key => [key, totals[key].reason]))

/** Null where nobody knows how long devices worked, for then work is missing from operators too. Work without an operator of HLO has a name at least. @param {import('../base/session.js').Session} session */
async function topOperator(session) {
  if (session.head.busy?.value === null) return null
  for (const level of ['hlo', 'name']) {
    const { columns, rows } = await session.ask('operators', { level, sort: '-self_ns', n: 1 })
    const at = (/** @type {string} */ name) => columns.findIndex((/** @type {any} */ column) => column.name === name)
    if (rows.length && rows[0][at('operator')] !== null) return { name: rows[0][at('operator')], share: valueText(rows[0][at('share')], '1'), device: devicesOf(session.head) > 1 ? String(rows[0][at('device')]) : '' }
  }
  return null
}

/** p99 of the steps of the device whose median the card has, which the server takes from the same row. @param {import('../base/session.js').Session} session @returns {Promise<string | null>} */
async function slowSteps(session) {
  if (!known(session.head.step_median)) return null
  const { columns, rows } = await session.ask('table/step_times', { sort: '-median_ns', n: 1 }), at = columns.findIndex((/** @type {any} */ column) => column.name === 'p99_ns')
  return rows[0]?.[at] ?? null
}

/** The longest time that a device was idle. @param {ProfilePage} page */
function idleCard({ session }) {
  const [gap] = session.gaps.value
  if (!gap) return nothing
  const show = () => {
    session.select({ kind: 'area', t0: gap.t0, t1: gap.t1, tracks: [] })
    session.showSpan(gap.t0, gap.t1, 0.6)
  }
  return html`<button class="card idle" title=${'The longest time that a device was idle: ' + (gap.track === null ? '' : session.model.inTables(gap.track)[0] + ', ') + nsText(gap.t1 - gap.t0) + ' ns from ' + nsText(gap.t0 - session.zero.value.t) + ' ns; cause: ' + gap.cause} @click=${show}><span class="card-name">longest idle</span> <b>${durationText(gap.t1 - gap.t0)}</b> <span class="of">at ${durationText(gap.t0 - session.zero.value.t)}, ${gap.cause}</span></button>`
}

/** @param {ProfilePage} page @param {Later | null} later */
function laterTemplate(page, later) {
  if (!later) return nothing
  return html`${card('MBU', known(later.mbu), () => page.open('roofline'))}
    ${later.top ? html`<button class="card" title=${'The operator with the most self time' + (later.top.device && ' on one device, ' + later.top.device) + ': ' + later.top.name} @click=${() => page.open('operators')}><span class="card-name">top</span> <b class=${later.top.name.length > SHORT_NAME ? 'card-top' : 'card-top whole'} ${css({ '--letters': later.top.name.length })}>${later.top.name}</b> ${later.top.share}${later.top.device && html` <span class="of">of ${deviceText(later.top.device)}</span>`}</button>` : nothing}`
}

/** @param {ProfilePage} page @param {Later | null} later */
export function cards(page, later) {
  const { session } = page, { head, profile } = session
  const doubts = doubtsOf(profile, head), leftOut = countOf(profile.findings_left_out)
  return html`<div class="card-row" aria-busy=${later ? nothing : 'true'}><div class="card-line">
    ${card('busy', head.busy, () => page.open('summary'), devicesOf(head) > 1 ? 'of their spans' : 'of its span')}
    ${card('MFU', head.mfu, () => page.open('operators'))}
    ${card('exposed', known(head.exposed), () => page.open('summary'))}
    ${card('step median', head.step_median, () => page.open('steps'), [...(later?.p99 ? ['p99 ' + durationText(BigInt(later.p99))] : []), ...(devicesOf(head) > 1 ? ['slowest device'] : [])].join(', '))}
    ${laterTemplate(page, later)}${idleCard(page)}
    ${profile.findings.length ? html`<button class="card" title=${'What stands out, ranked by the time at stake' + (leftOut ? '; ' + numberText(leftOut) + ' more break the rules as well' : '')} @click=${() => page.open('findings')}>⚑ ${findingsText(profile.findings.length, leftOut)}</button>` : nothing}</div>
    ${doubts.length || profile.findings.length ? lines(page, doubts, profile.findings) : nothing}
  </div>`
}

/** Letters that are in sight of each finding: those that are alike for longer show where they differ. */
const ALIKE = 50

/** @param {HTMLElement} cards */
export function fitCards(cards) {
  fitFigures(cards)
  fitFindings(cards)
}

/** Figures share a line: what stands behind them is there whole or goes, then names and reasons give way; no digit is cut. Whose the operator is that took most goes last: a finding may name that of another device. @param {HTMLElement} cards */
function fitFigures(cards) {
  const line = cards.querySelector('.card-line'), one = line?.firstElementChild
  if (!line || !one) return
  const wraps = () => line.clientHeight > 1.5 * one.clientHeight, ofTop = (/** @type {HTMLElement} */ of) => Number(of.matches('.card-top ~ *'))
  const behind = /** @type {HTMLElement[]} */ ([...line.querySelectorAll('.of')]).sort((a, b) => ofTop(a) - ofTop(b))
  line.classList.remove('tight')
  for (const of of behind) of.hidden = false
  for (const of of behind) of.hidden = wraps()
  line.classList.toggle('tight', wraps())
}

/** What has no room for its whole texts on two lines is cut, in two columns; what is to be known is above them then. @param {HTMLElement} cards */
function fitFindings(cards) {
  const lines = cards.querySelector('.finding-lines'), one = lines?.firstElementChild
  if (!lines || !one) return
  lines.classList.remove('two')
  for (const word of lines.querySelectorAll('.word')) /** @type {HTMLElement} */ (word).hidden = false
  for (const button of lines.children) button.classList.remove('short')
  lines.classList.toggle('two', lines.clientHeight > 2.5 * one.clientHeight)
  const cut = [...lines.children].filter(button => button.scrollWidth > button.clientWidth + 1).map(button => ({ button, words: wordsOut(button) }))
  for (const { button, words } of cut) {
    for (const word of words) word.hidden = true
    button.classList.add('short')
  }
}

/** Letters: names that are longer may be cut, and no figure is as long; so many of a card's name are always there but on the narrowest pages. */
const LONG_WORD = 20, SHORT_NAME = 14

/** Pixels that an ellipsis and the edge of its line take. */
const ELLIPSIS = 24

/** The words of a line that have no room: no figure is cut within. @param {Element} button @returns {HTMLElement[]} */
function wordsOut(button) {
  const words = /** @type {HTMLElement[]} */ ([...button.querySelectorAll('.word')]), end = button.getBoundingClientRect().right - ELLIPSIS
  const first = words.findIndex(word => word.getBoundingClientRect().right > end)
  return first < 0 ? [] : words.slice(first)
}

/** A text by words that go whole; a figure and its unit are one, and long names go by some letters. @param {string} text */
const byWords = text => (text.match(/(?:\(?[\d.,]+ )?\S+ ?/g) ?? []).flatMap(word => (word.length > LONG_WORD ? word.match(/.{1,4}/gu) ?? [] : word)).map(word => html`<span class="word">${word}</span>`)

/** What is to be known, and findings: each on one line, so that the rows below keep their room; texts have all in their title. @param {ProfilePage} page @param {string[]} doubts @param {any[]} findings */
function lines(page, doubts, findings) {
  const differ = differingAt(findings.map(one => one.text)), alike = (/** @type {string} */ text) => (differ.get(text) ?? 0) > ALIKE
  return html`<div class=${findings.length % 2 ? 'finding-lines odd' : 'finding-lines'}>${doubts.length ? html`<button class="doubt" title=${doubts.join('\n')} @click=${() => page.open('problems')}>⚠ ${byWords(doubtsText(doubts))}</button>` : nothing}${findings.map((one, i) => html`<button class="finding" title=${one.text + (one.detail ? '; ' + one.detail : '') + ' (' + one.rule + ': ' + one.threshold + ')'} @click=${() => showFinding(page, one)}><b>${i + 1}</b> ${alike(one.text) ? html`<span class="ends">${endsOf(one.text, differ.get(one.text))}</span>` : byWords(one.text)}</button>`)}</div>`
}

/** @param {number} told @param {number} leftOut */
const findingsText = (told, leftOut) => (leftOut ? numberText(told) + ' of ' : '') + counted(told + leftOut, 'finding')

/** How many devices the head names. @param {any} head */
const devicesOf = head => head.devices.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.count, 0)

/** Reasons for which members of a file's head are passed over, which no row and no figure needs: widget Problems has them. */
const OF_THE_HEAD = new Set(['no place for it', 'no fact has its key'])

/** Whether the decoder found no NEFF for an NTFF, and none is among the inputs. @param {any} profile */
export const wantsNeff = ({ inputs }) => inputs.some((/** @type {any} */ one) => one.properties?.wants === 'neff') && !inputs.some((/** @type {any} */ one) => one.decoder === 'neff')

const NO_NEFF = 'No NEFF beside it: names, tensors and layers are unknown. Add it: drop the .neff here'
/** One line of all doubts: it says first how many there are, as its end may have no room. @param {string[]} doubts */
const doubtsText = doubts => (doubts.length > 1 ? doubts.length + ' things to know: ' : '') + doubts.join(' · ')

/** What was guessed, lost or passed over, such that figures may differ. @param {any} profile @param {any} head @returns {string[]} */
export function doubtsOf(profile, head) {
  const told = profile.inputs.some((/** @type {any} */ one) => one.properties?.notice)
  return [
    ...(told ? profile.warnings : []),
    ...(wantsNeff(profile) ? [NO_NEFF] : []),
    ...(head.certainty === 'structure' && !told ? ['This format is not published: decoded by its structure, some names are likely, not certain'] : []),
    ...(profile.unclosed ? ['spans without an end in the file: ' + numberText(profile.unclosed)] : []),
    ...(profile.lost ? [numberText(profile.lost) + (Number(profile.lost) === 1 ? ' row was lost' : ' rows were lost')] : []),
    ...profile.skipped.filter((/** @type {any} */ one) => !OF_THE_HEAD.has(one.reason)).map((/** @type {any} */ one) => numberText(one.count) + ' × ' + one.what + ': ' + one.reason),
    ...(told ? [] : profile.warnings),
  ]
}
