// SPDX-License-Identifier: Apache-2.0
// The head of a profile: the verdict as `nprof report` says it, and what a step is made of as one bar, whose parts add up.
import { css } from '../base/element.js'
import { doubtsOf, doubtsText } from '../base/doubts.js'
import { kindOf } from '../base/step-parts.js'
import { durationText } from '../base/time.js'
import { deviceText, percentText, unbroken } from '../base/values.js'
import { html, nothing } from '../lib/lit.js'
import { JOB } from '../widgets/layouts.js'
import { showPart } from '../widgets/shown.js'

/** @typedef {import('../base/session.js').Session} Session */
/** `layout`: the name of that which is shown. @typedef {{session: Session, open: (id: string) => void, layout: {value: string}}} Page */
/** @typedef {import('../base/step-parts.js').Kind} Kind */
/** `causes`: of several where small ones are one. @typedef {Kind & {part: string, time: bigint, place: string | null, causes?: string[]}} Part */
/** @typedef {import('../base/answers.d.ts').Judged} Judged */
/** @typedef {import('../base/answers.d.ts').Profile} Profile */

const REST = {
  part: 'rest',
  name: 'Idle: other causes',
  look: 'idle other',
  place: null,
}

/** More than this is no bar that people read: the smallest idle parts are one. */
const MOST = 6

/** @type {Record<string, string>} */
const BASES = {
  step: 'A step',
  step1: 'The step',
  phase: 'A step',
  phase1: 'The step',
  period: 'A period',
  span: 'The span',
}

/** @param {Judged['parts']} parts @returns {Part[]} */
export function partsOf(parts) {
  const all = /** @type {Part[]} */ (
    parts.map(one => ({
      ...one,
      time: BigInt(one.time),
      ...kindOf(one.part),
    }))
  )
  const idle = all
    .filter(one => one.look.startsWith('idle'))
    .sort((a, b) => (a.time < b.time ? -1 : 1))
  const small = new Set(all.length > MOST ? idle.slice(0, all.length - MOST + 1) : [])
  const kept = all.filter(one => !small.has(one))
  return small.size
    ? [
        ...kept,
        {
          ...REST,
          time: [...small].reduce((sum, one) => sum + one.time, 0n),
          causes: [...small].map(one => one.part),
        },
      ]
    : kept
}

/** @param {Profile} profile @param {string} label */
const lineOf = (profile, label) => profile.screen.lines.find(one => one.label === label)

/** The sentence; where the tables have none, what is missing. @param {Profile} profile */
export const sentenceOf = profile =>
  lineOf(profile, 'verdict')?.text ??
  'No verdict: ' +
    (profile.rows ? 'the file does not tell what its devices waited for' : 'the file has no rows')

/** What the head says, and below it: the page of a job leads with who is waited for, any other with the verdict. @param {Page} page */
function saidOf({ session: { profile }, layout }) {
  const of = (/** @type {string} */ label) => lineOf(profile, label)?.text,
    [late, job, idle] = ['late', 'job', 'idle'].map(of),
    verdict = sentenceOf(profile)
  // What ranks differ by stands below for whom they wait.
  const [waiting, ...differ] = job && lineOf(profile, 'job')?.code ? job.split('; ') : [null, job]
  if (layout.value !== JOB) return { first: verdict, late, more: idle ? ['Idle: ' + idle] : [] }
  const { device } = profile.screen.window ?? {},
    waits = late ?? waiting,
    slowest = device ? deviceText(device) + ', the slowest: ' + verdict : verdict
  return {
    first: waits ?? verdict,
    more: [late ? job : differ.join('; '), waits ? slowest : idle && 'Idle: ' + idle].flatMap(
      text => text || [],
    ),
  }
}

/** @param {Page} page */
export function verdict(page) {
  const { session } = page,
    { profile, head } = session,
    { window } = profile.screen,
    { first, late, more } = saidOf(page),
    doubts = doubtsOf(profile, head)
  return html`${doubts.length ? html`<button class="doubt" title=${doubts.join('\n')} @click=${() => page.open('problems')}>⚠ ${doubtsText(doubts)}</button>` : nothing}
    <h1>${unbroken(first)}</h1>
    ${late ? html`<p class="sub">${unbroken(late)} <button class="as-link" @click=${() => page.open('ranks')}>Show ranks</button></p>` : nothing}
    ${more.map(text => html`<p class="sub">${unbroken(text)}</p>`)}
    ${window ? stack(page, window) : nothing}`
}

/** What a part is, how long, and which share of a step. @param {Part} one @param {bigint} mean */
const toldOf = (one, mean) =>
  one.name + ': ' + durationText(one.time) + ', ' + percentText(Number(one.time) / Number(mean))

/** The same bar where there is little room, such as in a list. @param {Judged} window */
export function stepBar(window) {
  const parts = partsOf(window.parts),
    mean = BigInt(window.mean),
    all = parts.map(one => toldOf(one, mean)).join('; ')
  return html`<div class="part-bar small" role="img" aria-label=${all} title=${all}>${parts.map(one => html`<span class=${'part ' + one.look} ${css({ 'flex-grow': Number(one.time) })}></span>`)}</div>`
}

/** No name fits into less of the bar. */
const LEAST_NAMED = 0.1

/** The bar of a step; its parts may be too thin to be hit, so their names are buttons, too. @param {Page} page @param {Judged} window */
function stack(page, window) {
  const { session } = page,
    parts = partsOf(window.parts),
    mean = BigInt(window.mean),
    share = (/** @type {Part} */ one) => Number(one.time) / Number(mean)
  const told = (/** @type {Part} */ one) =>
    toldOf(one, mean) + (one.place ? '; most in ' + one.place : '')
  // The longest gap of the part, wherever the host was in it.
  const show = (/** @type {Part} */ { part, causes }) =>
    showPart(page, { part, causes, device: window.device, place: null })
  const devices = session.head.devices.reduce((sum, one) => sum + one.count, 0)
  return html`<div class="step-stack"><div class="of"><b>${BASES[window.windows === 1 && window.base === 'step' ? 'step1' : window.base] ?? 'A step'}, ${durationText(mean)}</b>
      <span>${[window.windows > 1 && window.median ? 'median of ' + window.windows + ': ' + durationText(BigInt(window.median)) : '', devices > 1 ? deviceText(window.device) : ''].filter(Boolean).join(', ')}</span></div>
    <div class="parts"><div class="part-bar" role="img" aria-label=${'What ' + (BASES[window.base] ?? 'A step').toLowerCase() + ' is made of'}>${parts.map(one => html`<span class=${'part ' + one.look} title=${told(one)} ${css({ 'flex-grow': Number(one.time) })} @click=${() => show(one)}><span>${share(one) < LEAST_NAMED ? '' : one.name}</span></span>`)}</div>
      <div class="part-names" role="group" aria-label="Parts">${parts.map(one => html`<button title=${told(one)} @click=${() => show(one)}><i class=${'part ' + one.look}></i>${one.name} <b>${durationText(one.time)}</b> ${percentText(share(one))}</button>`)}</div></div></div>`
}
