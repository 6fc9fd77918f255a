// SPDX-License-Identifier: Apache-2.0
// What an opened page does not show: rest.js beside main.js with its styles, which are loaded once,
// when the first of it is wanted.
import { html, render } from '../lib/lit.js'
import { make, say } from './element.js'

const LOST = 'This part of the page did not come: nprof view has ended, or was started anew.'

/** @typedef {typeof import('../rest.js')} Rest */

/** It, when it has come. @type {Rest | null} */
let part = null

/** The one load of it, so that who asked first runs first. @type {Promise<Rest> | null} */
let coming = null

/** The styles lie beside those of the page; where it is one file, it has them. */
function loadStyles() {
  const own = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel=stylesheet]'))
  if (!own) return Promise.resolve()
  const link = /** @type {HTMLLinkElement} */ (make('link'))
  link.rel = 'stylesheet'
  link.href = own.href.replace('page.css', 'rest.css')
  return new Promise((resolve, reject) => {
    link.addEventListener('load', resolve)
    link.addEventListener('error', reject)
    document.head.append(link)
  })
}

/** @returns {Promise<Rest>} */
async function load() {
  try {
    ;[part] = await Promise.all([import('../rest.js'), loadStyles()])
    return part
  } catch (error) {
    coming = null
    say(LOST)
    throw error
  }
}

/** Loads it, and says so where it does not come. */
export const rest = () => (coming ??= load())

/**
 * Runs something with it, at once where it is there, or `lost` where it does not come.
 * @template T @param {(rest: Rest) => T} run @param {() => void} [lost]
 * @returns {T | Promise<T | void>}
 */
export const withRest = (run, lost = () => {}) => (part ? run(part) : rest().then(run, lost))

/**
 * Shows something of it, at once where it is there. Where it does not come, `lose` says so, until
 * there is a server again.
 * @param {(rest: Rest) => void} show @param {() => void} lose @returns {() => void} ends it
 */
export function showRest(show, lose) {
  let left = false
  const begin = () =>
    withRest(
      one => left || show(one),
      () => {
        if (left) return
        lose()
        document.addEventListener('nprof-back', begin, { once: true })
      },
    )
  begin()
  return () => {
    left = true
    document.removeEventListener('nprof-back', begin)
  }
}

/** It stands where something of it would be. */
export const restLost = html`<p class="pad failed" role="alert">${LOST} <button @click=${() => location.reload()}>Load the page again</button></p>`

/** @typedef {(app: HTMLElement) => Promise<void> | void} Shown */

/** @param {HTMLElement} app */
function lostPage(app) {
  render(restLost, app)
}

/** A page that it has. @param {(rest: Rest) => Shown | Promise<Shown>} page @returns {Promise<Shown>} */
export const restPage = page => rest().then(page, () => lostPage)
