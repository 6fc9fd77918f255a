// SPDX-License-Identifier: Apache-2.0
// A profile that is still being read: how far it is, and its tracks as they grow; or one that could not be read. When it
// is done, also by somebody else, the page of the profile takes its place.
import { get, sentences, write } from '../base/api.js'
import { differingAt, endsOf } from '../base/ends.js'
import { html, nothing, render } from '../lib/lit.js'
import { numberText, valueText } from '../base/values.js'
import { make, say } from '../base/element.js'
import { gone, serverEnded } from './banners.js'
import { base } from '../base/packed.js'

const SOON = 100,
  EVERY = 400,
  SETTLED_EVERY = 2000 // ms: until rows are there, while they grow, when it has failed

/** @typedef {import('../base/answers.d.ts').Brief} Profile */
/** @typedef {import('../base/answers.d.ts').Progress} Progress */

/**
 * @param {import('../base/answers.d.ts').Head} head @returns {(app: HTMLElement) => Promise<void>}
 */
export function readingPage(head) {
  return async app => {
    let banner = /** @type {unknown} */ (nothing)
    for (let now = head; ;) {
      if (now.gen) return location.reload()
      draw(app, now.profile, banner)
      if (now.profile.status === 'database') return
      const { error, progress } = now.profile
      await new Promise(resolve =>
        setTimeout(resolve, error ? SETTLED_EVERY : progress?.tracks?.length ? EVERY : SOON),
      )
      try {
        now = await get(`p/${head.profile.bucket}`)
        banner = nothing
      } catch (problem) {
        const isGone = /** @type {import('../base/api.js').ApiError} */ (problem).status === 404
        banner = isGone ? gone('This profile') : serverEnded
        if (isGone) return draw(app, now.profile, banner)
      }
    }
  }
}

/** @param {HTMLElement} app @param {Profile} profile @param {unknown} banner */
function draw(app, profile, banner) {
  const { progress, error } = profile
  render(
    html`${banner}<header class="top"><a class="brand" href=${base + '/'}>nprof</a><h1 class="profile-name">${profile.name}</h1><span class="muted">${profile.format}</span></header>
    <main class="reading">${
      error
        ? failure(profile, error)
        : html`<p role="status" class="progress-text">${progressText(progress)}</p><progress max="100" value=${progress?.stage === 'reading' ? (share(progress) ?? nothing) : nothing}></progress>
      ${figures(progress?.figures ?? [])}
      <div class="growing">${(progress?.tracks ?? [])
        .filter(track => track.rows)
        .slice(0, 60)
        .map(
          track =>
            html`<div class="grow-row"><span>${track.label}</span>${strip(track)}<span class="muted">${numberText(track.rows)} rows</span></div>`,
        )}</div>
      <p>It goes on without this page. <a class="button" href=${base + '/'}>All profiles</a></p>`
    }</main>`,
    app,
  )
}

/**
 * What the analyzers have told of devices and their steps so far: cards come when the rest is
 * known.
 * @param {Progress['figures']} rows
 */
function figures(rows) {
  if (!rows.length) return nothing
  const parts = rows.flatMap(row =>
    row.table === 'devices'
      ? deviceFigures(row)
      : [/** @type {Figure} */ ([row.device, 'step median', row.median_ns, 'ps'])],
  )
  const differ = differingAt(parts.map(([device]) => String(device)))
  return html`<div class="card-row first" aria-label="First figures">${parts
    .filter(([, , value]) => value !== null && value !== undefined)
    .slice(0, 16)
    .map(
      ([device, name, value, unit]) =>
        html`<span class="card" title=${device}><span class="card-name">${name}</span> <b>${valueText(value, unit)}</b> <span class="why ends">${endsOf(String(device), differ.get(String(device)))}</span></span>`,
    )}
    <span class="muted">First figures; findings come when all is analyzed.</span></div>`
}

/** @param {Progress['figures'][number]} row of table devices @returns {Figure[]} */
const deviceFigures = row => [
  [row.device, 'busy', row.busy_ns, 'ps'],
  [row.device, 'idle', row.idle_ns, 'ps'],
  [row.device, 'exposed', row.exposed_ns, 'ps'],
  [row.device, 'MFU', row.mfu, '1'],
]

/**
 * @typedef {[device: string | number | null, name: string, value: string | number | null, unit:
 *   string]} Figure
 */

/** @param {Progress | null} progress */
const share = progress =>
  progress?.total_bytes
    ? Math.round((Number(progress.done_bytes) / progress.total_bytes) * 100)
    : null

/** @param {Progress | null} progress */
export function progressText(progress) {
  if (!progress) return 'waiting for its turn'
  const part = share(progress)
  return [
    progress.stage + (part === null ? '' : ' ' + part + ' %'),
    progress.bytes_per_s ? valueText(progress.bytes_per_s, 'byte/s') : '',
    progress.left_s === null ? '' : Math.ceil(progress.left_s) + ' s left',
    numberText(progress.rows) + ' rows',
  ]
    .filter(Boolean)
    .join(', ')
}

/** @param {{busy: number[]}} track */
function strip(track) {
  const canvas = /** @type {HTMLCanvasElement} */ (make('canvas', 'grow'))
  canvas.width = track.busy.length
  canvas.height = 16
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--k')
  track.busy.forEach((value, x) => {
    if (value) context.fillRect(x, 16 - Math.max(1, value / 16), 1, Math.max(1, value / 16))
  })
  return canvas
}

/** What the server refuses is said. @param {Promise<unknown>} act */
const tried = act => act.catch(error => say(sentences(error)))

/** @param {Profile} profile @param {NonNullable<Profile['error']>} error */
function failure(profile, error) {
  if (profile.status === 'old') return oldStore(profile, error)
  const again = (/** @type {{keep_going: boolean, force: boolean}} */ how) =>
    tried(write('POST', 'profiles/' + profile.bucket + '/again', how).then(() => location.reload()))
  return html`<h2>This profile could not be read</h2><p class="failed" role="alert">${error.text}</p><p>${error.mend}</p>
    <p class="acts">${error.mend.includes('--keep-going') ? html`<button @click=${() => again({ keep_going: true, force: true })}>Read what can be had</button>` : html`<button @click=${() => again({ keep_going: false, force: true })}>Read it again</button>`}
      <button @click=${() =>
        tried(
          write('POST', 'profiles/delete', { profiles: [profile.bucket], database: false }).then(
            () => {
              location.href = base + '/'
            },
          ),
        )}>Remove</button></p>`
}

/**
 * A store of another version of nprof is made anew from its source.
 * @param {Profile} profile @param {NonNullable<Profile['error']>} error
 */
function oldStore(profile, error) {
  const missing = profile.inputs
    .filter(input => !input.present)
    .map(input => input.path || input.label + ', which was sent from a browser or a pipe,')
  const again = () =>
    tried(
      write('POST', 'profiles/' + profile.bucket + '/again', {
        keep_going: false,
        force: true,
      }).then(() => location.reload()),
    )
  return html`<h2>This profile is to be read again</h2><p class="failed" role="alert">${error.text}</p>
    ${
      profile.source_present
        ? html`<p class="acts"><button @click=${again}>Read it again</button></p>`
        : html`<p>It cannot be read again, for ${missing.length ? missing.join(', ') + (missing.length > 1 ? ' are' : ' is') + ' not there any more' : 'where it was read from is not known'}: <code>nprof view --force FILE</code> makes it anew. <a href=${base + '/'}>All profiles</a></p>`
    }`
}
