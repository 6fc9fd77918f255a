// SPDX-License-Identifier: Apache-2.0
// A button with a list below it, of choices or of things to do. Arrows move in the list, Enter takes one, Esc or a click
// elsewhere closes it.
import { html, nothing } from '../lib/lit.js'

/** `on` is of a choice: whether it is the one of now. @typedef {{text: string, run: () => void, on?: boolean, value?: string, title?: string, key?: string}} Item */
/** `note` stands below its items. @typedef {{title: string, items: Item[], note?: unknown}} Group */
/** `name` is of one whose text is a sign. @typedef {{label: string, text: unknown, title?: string, name?: string, value?: string, look?: string}} Button */

/** Pixels between a list and the edges of the window. */
const EDGE = 8

/** @param {Button} button @param {Group[]} groups */
export function menu({ label, text, title, name, value, look = 'quiet' }, groups) {
  const id = 'menu-' + label.toLowerCase().replace(/[^a-z]+/g, '-')
  return html`<button class=${look} aria-haspopup="menu" popovertarget=${id} aria-label=${name ?? nothing} title=${title ?? label} data-value=${value ?? nothing}>${text}</button><div class="menu-list" popover role="menu" id=${id} @toggle=${onToggle} @keydown=${onKey}>${groups.map(
    group =>
      html`<div role="group" aria-label=${group.title}><p class="menu-head" aria-hidden="true">${group.title}</p>${group.items.map(item)}${group.note ?? nothing}</div>`,
  )}</div>`
}

/** @param {Item} one */
const item = one =>
  html`<button role=${one.on === undefined ? 'menuitem' : 'menuitemradio'} aria-checked=${one.on === undefined ? nothing : String(one.on)} tabindex="-1" title=${one.title ?? nothing} data-value=${one.value ?? nothing} @click=${(
    /** @type {Event & {currentTarget: HTMLElement}} */ event,
  ) => {
    ;/** @type {HTMLElement} */ (event.currentTarget.closest('[popover]')).hidePopover()
    one.run()
  }}><span>${one.text}</span>${one.key ? html`<kbd>${one.key}</kbd>` : nothing}</button>`

/** Of a list. @typedef {{currentTarget: HTMLElement}} OfList */

/** What opens a list. @param {HTMLElement} list */
const buttonOf = list => /** @type {HTMLElement} */ (list.previousElementSibling)

/** Below its button, within the window. @param {HTMLElement} list */
function place(list) {
  list.style.left = EDGE + 'px' // where it is as wide as it can be
  const at = buttonOf(list).getBoundingClientRect(),
    left = Math.min(at.left, innerWidth - list.offsetWidth - EDGE),
    below = innerHeight - at.bottom - EDGE,
    top = below < Math.min(list.scrollHeight, 240) ? EDGE : at.bottom
  list.style.left = Math.max(EDGE, left) + 'px'
  list.style.top = top + 'px'
  list.style.maxHeight = innerHeight - top - EDGE + 'px'
}

/**
 * It has its place while it is open, and the choice of now the focus.
 * @param {ToggleEvent & OfList} event
 */
function onToggle({ currentTarget: list, newState }) {
  buttonOf(list).setAttribute('aria-expanded', String(newState === 'open'))
  if (newState !== 'open') return
  place(list)
  const stop = () => removeEventListener('resize', watch),
    watch = () => (list.matches(':popover-open') ? place(list) : stop())
  addEventListener('resize', watch)
  list.addEventListener('toggle', stop, { once: true }) // a list that is taken away says nothing
  const chosen = /** @type {HTMLElement | null} */ (
    list.querySelector('[aria-checked=true]') ?? list.querySelector('[role^=menuitem]')
  )
  chosen?.focus()
}

/** @param {HTMLElement} list */
const itemsOf = list => [
  .../** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll('[role^=menuitem]')),
]

/** @param {KeyboardEvent & OfList} event */
function onKey(event) {
  const items = itemsOf(event.currentTarget),
    at = items.findIndex(one => one === document.activeElement)
  /** @type {Record<string, number>} */
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }
  if (!(event.key in to)) return
  event.preventDefault()
  items.at(to[event.key] % items.length)?.focus()
}
