// SPDX-License-Identifier: Apache-2.0
// How far the rows of the timeline are scrolled: the address keeps the row on top of those in sight, with the pixels
// of it that are not.
import { setting } from '../base/session.js'

/** `begin`: goes where the address says, as soon as that row is there; `moved`: people scrolled. @typedef {{begin: () => void, moved: () => void, dispose: () => void}} Place */

const SETTLE = 150 // ms

/** @param {import('./timeline.js').Timeline} timeline @returns {Place} */
export function placeOf(timeline) {
  const { session, scroll } = timeline,
    top = setting(session, 'timeline.top', '')
  let wanted = top.peek(),
    reached = 0, // by begin ()
    timer = 0
  const keep = () => {
    const y = scroll.scrollTop,
      [row] = y > 0 ? session.rows.peek().visible(y, y + 1) : []
    top.value = row ? row.node.hash + '-' + Math.round(y - row.y) : ''
  }
  return {
    begin() {
      const [hash, by] = wanted.split('-'),
        row =
          wanted && timeline.height
            ? session.rows.peek().rows.find(one => one.node.hash === hash)
            : null
      if (!row) return
      scroll.scrollTop = row.y + Number(by)
      reached = scroll.scrollTop
      // Rows may not be as high yet as they will be: then it goes there when they are drawn again.
      if (reached > row.y + Number(by) - 1) wanted = ''
    },
    moved() {
      if (scroll.scrollTop && scroll.scrollTop !== reached) wanted = ''
      clearTimeout(timer)
      timer = window.setTimeout(keep, SETTLE)
    },
    dispose() {
      clearTimeout(timer)
    },
  }
}
