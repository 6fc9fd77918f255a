// SPDX-License-Identifier: Apache-2.0
// The timeline as a widget of the dock.
import { Timeline } from '../timeline/timeline.js'
import { need } from '../base/element.js'
import { effect } from '../lib/lit.js'
import { live } from './frame.js'
import { chosenScope, tools } from './tools.js'

/** The timeline of each element that holds one. @type {WeakMap<HTMLElement, Timeline>} */
export const timelines = new WeakMap()

/** @type {import('./dock.js').Definition} */
export const timeline = {
  id: 'timeline',
  title: 'Timeline',
  help: 'Tracks over time',
  mount(element, page) {
    const { first } = page,
      made = first ?? new Timeline(page.session)
    page.first = null
    timelines.set(element, made)
    if (first) take(element, first)
    else element.append(made.element)
    const stops = [
      effect(() => {
        made.element.ariaBusy = page.session.tiles.lastMs.value ? null : 'true'
      }),
      live(need('.bar > .scope', made.element), () => chosenScope(page.session)),
      live(need('.bar > .tools', made.element), () => tools(page, made)),
    ]
    return () => {
      stops.forEach(stop => stop())
      made.dispose()
      made.element.remove()
    }
  },
}

/** Moves the timeline of the first look; a moved element loses the focus and how far it was scrolled. @param {HTMLElement} element @param {Timeline} first */
function take(element, first) {
  const { activeElement } = document,
    host = first.element.parentElement,
    top = first.scroll.scrollTop
  element.append(first.element)
  host?.remove()
  first.scroll.scrollTop = top
  if (activeElement instanceof HTMLElement && element.contains(activeElement))
    activeElement.focus({ preventScroll: true })
}
