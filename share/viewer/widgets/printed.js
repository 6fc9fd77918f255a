// SPDX-License-Identifier: Apache-2.0
// The report as text: Markdown to paste elsewhere, or as the vendor of the format prints it, byte for byte.
import { effect, html, nothing, signal } from '../lib/lit.js'
import { getText } from '../base/api.js'
import { copy, download } from '../base/element.js'
import { setting } from '../base/session.js'
import { bar, live } from './frame.js'
import { choice } from './operators.js'

/** @type {import('./dock.js').Mount} */
export const printed = (element, page) => {
  const { session } = page,
    styles = session.head.decoders.includes('furiosa') ? ['furiosa-0.9', 'furiosa-0.10'] : []
  const format = setting(session, 'printed.format', styles[0] ?? 'markdown'),
    text = signal(''),
    error = signal('')
  const asked = effect(() => {
    const mine = format.value
    text.value = error.value = ''
    getText(session.base + '/export', { format: mine }).then(
      got => {
        if (format.value === mine) text.value = got
      },
      problem => {
        error.value = problem.message
      },
    )
  })
  const stop = live(
    element,
    () =>
      html`${bar({
        scoped: 'whole: the report as the vendor prints it',
        left: html`${choice('As', [...styles, 'markdown'], format)}
        <button class="quiet" ?disabled=${!text.value} @click=${() => copy(text.value, 'the report')}>Copy</button>
        <button class="quiet" ?disabled=${!text.value} @click=${() => download('report.' + (format.value === 'markdown' ? 'md' : 'txt'), text.value, 'text/plain')}>Save</button>`,
        command: session.commandFor(
          format.value === 'markdown'
            ? 'report --format markdown'
            : 'report --style ' + format.value,
        ),
      })}${error.value ? html`<p class="failed pad" role="alert">${error.value}</p>` : text.value ? nothing : html`<p class="muted pad" aria-busy="true">asking…</p>`}<pre class="scrolled printed" tabindex="0" ?hidden=${!text.value}>${text.value}</pre>`,
  )
  return () => {
    asked()
    stop()
  }
}
