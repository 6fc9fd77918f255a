// SPDX-License-Identifier: Apache-2.0
// The first look at a profile: its name, and the timeline where the dock will have it. When lanes are painted the rest
// of the page is loaded, and takes the timeline over.
import { need, make } from '../base/element.js'
import { readLink, readMade } from '../base/link.js'
import { restPage } from '../base/rest.js'
import { openSession } from '../base/session.js'
import { html, render } from '../lib/lit.js'
import { Timeline } from '../timeline/timeline.js'
import { JOB, boxOf, layoutOf, nameOf } from '../widgets/layouts.js'
import { verdict } from './verdict.js'
import { base } from '../base/packed.js'

/** @typedef {import('../base/api.js').ApiError} ApiError */

const FRAME = `<button class="skip">To the timeline</button><header class="top"><span class="brand">nprof</span><span class="profile-name"></span></header><section class="verdict" aria-label="Verdict"></section><main class="dock" aria-label="Widgets"></main><div class="said" id="status" aria-hidden="true"></div>`

/**
 * @param {string} id @param {boolean} ranks
 * @param {import('../base/answers.d.ts').Head | ApiError} head answer of p/ID, or its error
 * @returns {Promise<import('../base/rest.js').Shown>}
 */
export async function openingPage(id, ranks, head) {
  if (head instanceof Error) return failedPage(id, head)
  document.title = head.profile.name + ' · nprof'
  if (!head.gen) return restPage(({ readingPage }) => readingPage(head))
  if (ranks) nameLayout(JOB)
  const session = await openSession(head).catch(error => /** @type {ApiError} */ (error))
  if (session instanceof Error) return failedPage(id, session)
  session.isJob = ranks && !new URLSearchParams(location.search).has('tr')
  return async app => {
    const replay = keepKeys(),
      timeline = firstLook(session, app)
    if (timeline) await session.ready.then(frame)
    const { ProfilePage } = await import('../later.js')
    new ProfilePage(session, app, timeline)
    replay()
  }
}

/** Has the address name a layout where it names none. @param {string} layout */
function nameLayout(layout) {
  const params = new URLSearchParams(location.search)
  if (params.has('l')) return
  params.set('l', layout)
  history.replaceState(null, '', location.pathname + '?' + params)
}

/** The next frame was drawn. */
const frame = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))

/** Shows the frame of the page, and the timeline where the layout of the address has it in sight. @param {import('../base/session.js').Session} session @param {HTMLElement} app @returns {Timeline | null} */
function firstLook(session, app) {
  const params = new URLSearchParams(location.search)
  app.className = 'profile-page'
  app.innerHTML = FRAME
  need('.skip', app).addEventListener('click', () => need('.timeline .over', app).focus())
  need('.profile-name', app).textContent = session.head.name
  readLink(session, params)
  readMade(session, params)
  render(
    verdict({ session, open: () => {}, layout: { value: nameOf(params) } }),
    need('.verdict', app),
  )
  const dock = need('.dock', app),
    area = layoutOf(params)
  const box =
    area &&
    boxOf(area, 'timeline', { left: 0, top: 0, width: dock.clientWidth, height: dock.clientHeight })
  if (!box) return null
  const host = make('div', 'opening'),
    timeline = new Timeline(session)
  for (const [side, value] of Object.entries(box)) host.style.setProperty(side, value + 'px')
  host.append(timeline.element)
  dock.append(host)
  timeline.onResize() // now, for an observer is told behind the frame
  return timeline
}

/** Keys that nobody runs yet are pressed again when the answer is called. @returns {() => void} */
function keepKeys() {
  /** @type {KeyboardEvent[]} */
  const kept = []
  const keep = (/** @type {KeyboardEvent} */ event) => {
    if (!event.defaultPrevented) kept.push(event)
  }
  document.addEventListener('keydown', keep)
  return () => {
    document.removeEventListener('keydown', keep)
    for (const event of kept)
      (event.target ?? document.body).dispatchEvent(new KeyboardEvent('keydown', event))
  }
}

/**
 * No such profile, or no server.
 * @param {string} id @param {ApiError} error
 * @returns {import('../base/rest.js').Shown | Promise<import('../base/rest.js').Shown>}
 */
function failedPage(id, error) {
  if (error.status === 404)
    return restPage(({ missingPage }) => missingPage('No profile ' + id + ' here'))
  return app => {
    document.title = 'nprof: no answer'
    const port = location.port || '80'
    render(
      html`<main class="missing"><h1>FATAL - Failed metadata query</h1>
      <p>${error.status ? error.message + ' ' + error.mend : html`The server does not answer. Is it running, and is its port forwarded? <code>ssh -L ${port}:localhost:${port} HOST</code> is all that nprof needs; with --db-endpoint on your own machine also <code>-L 8086:localhost:8086</code>.`}</p>
      <p><button @click=${() => location.reload()}>Retry</button> <a href=${base + '/'}>All profiles</a></p></main>`,
      app,
    )
  }
}
