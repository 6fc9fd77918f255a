// SPDX-License-Identifier: Apache-2.0
// Details: what to do first, until something is selected or pinned; what shows that is of rest.js.
import { restLost, showRest } from '../base/rest.js'
import { setting } from '../base/session.js'
import { effect, html, signal } from '../lib/lit.js'
import { adviceTemplate } from './advice.js'
import { live } from './frame.js'

/** @typedef {{template: () => unknown, dispose: () => void}} Panel */

/** @type {import('./dock.js').Definition} */
export const details = {
  id: 'details',
  title: 'Details',
  help: 'All fields of the selected event, with what it depends on',
  mount(element, page) {
    const { session } = page,
      pins = setting(session, 'details.pins', ''),
      panel = signal(/** @type {Panel | null} */ (null))
    let leave = () => {}
    const ask = effect(() => {
      if (panel.peek() || (!session.selection.value && !pins.value)) return
      leave()
      leave = showRest(
        ({ selectedPanel }) => {
          panel.value = selectedPanel(page)
        },
        () => {
          panel.value = { template: () => restLost, dispose: () => {} }
        },
      )
    })
    const stop = live(element, () =>
      panel.value
        ? panel.value.template()
        : session.selection.value
          ? html`<div class="pad muted" aria-busy="true">asking…</div>`
          : adviceTemplate(page),
    )
    return () => {
      leave()
      ask()
      stop()
      panel.peek()?.dispose()
    }
  },
}
