// SPDX-License-Identifier: Apache-2.0
// The timeline as a widget of the dock.
import { Timeline } from '../timeline/timeline.js'

/** The timeline of each element that holds one. @type {WeakMap<HTMLElement, Timeline>} */
export const timelines = new WeakMap()

/** @type {import('./dock.js').Definition} */
export const timeline = {
  id: 'timeline',
  title: 'Timeline',
  help: 'Tracks over time',
  mount(element, page) {
    const made = new Timeline(page.session)
    timelines.set(element, made)
    element.append(made.element)
    return () => { made.dispose(); made.element.remove() }
  },
}
