// SPDX-License-Identifier: Apache-2.0
// The page for an address that leads nowhere.
import { html, render } from '../lib/lit.js'
import { base } from '../base/packed.js'

/** @param {string} title @param {string} [text] @returns {(app: HTMLElement) => void} */
export function missingPage(title, text = '') {
  return app => {
    document.title = 'nprof: ' + title
    render(
      html`<main class="missing"><h1>${title}</h1><p>${text} <a href=${base + '/'}>All profiles</a></p></main>`,
      app,
    )
  }
}
