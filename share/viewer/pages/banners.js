// SPDX-License-Identifier: Apache-2.0
// Sentences above a page, with what to do: that its server has ended, or what became of profiles meanwhile.
import { copy } from '../base/element.js'
import { html } from '../lib/lit.js'
import { base } from '../base/packed.js'

export const serverEnded = html`<p class="banner" role="alert">The server has ended. What is on this page stays; start <code>nprof view</code> again and it goes on. <button @click=${() => copy('nprof view', 'command')}>Copy the command</button></p>`

/** @param {string} who of the profiles on the page */
export const gone = who =>
  html`<p class="banner" role="alert">${who} is not on the server any more. What is on this page stays. <a class="button" href=${base + '/'}>All profiles</a></p>`

/** @param {string} who */
export const again = who =>
  html`<p class="banner" role="alert">${who} was read again since it was opened here. <button @click=${() => location.reload()}>Show it as it is now</button></p>`
