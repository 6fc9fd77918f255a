// SPDX-License-Identifier: Apache-2.0
// What a script can say of how a page looks: nothing is cut without telling the whole, nothing covers its
// neighbour or touches it, the verdict leaves the lanes their room, no widget is empty or keeps
// room for nothing, none is wider than its panel but tables and code, what is clicked is large
// enough, texts of a column stand in a line.
import { smallOf } from './targets.mjs'

/** Runs in the page. @returns {string[]} */
function look() {
  const seen = element => element.checkVisibility() && element.getBoundingClientRect().width > 0
  const name = element =>
    element.tagName.toLowerCase() +
    '.' +
    String(element.className?.baseVal ?? element.className).replaceAll(' ', '.') +
    ' "' +
    element.textContent.trim().slice(0, 40) +
    '"'
  const found = []
  for (const element of document.querySelectorAll(
    'button, label, th, h1, h2, h3, dt, .lm-TabBar-tabLabel, .chip, .row .name',
  )) {
    if (
      !seen(element) ||
      element.matches('.sr-only') ||
      element.scrollWidth <= element.clientWidth + 1 ||
      getComputedStyle(element).overflowX === 'visible'
    )
      continue
    if (!element.closest('[title]') && !element.closest('[aria-label]:not(main):not(section)'))
      found.push('cut: ' + name(element))
  }
  for (const box of document.querySelectorAll(
    '.top, .foot, .bar, .card-row, .part-names, .totals, .pies',
  )) {
    const children = [...box.children]
      .filter(one => seen(one) && !one.matches('[popover]'))
      .map(element => ({ element, at: element.getBoundingClientRect() }))
    for (const [i, one] of children.entries()) {
      for (const other of children.slice(i + 1)) {
        const w = Math.min(one.at.right, other.at.right) - Math.max(one.at.left, other.at.left),
          h = Math.min(one.at.bottom, other.at.bottom) - Math.max(one.at.top, other.at.top)
        if (w > 1.5 && h > 1.5)
          found.push('covers: ' + name(one.element) + ' and ' + name(other.element))
      }
      if (box.matches('.bar') && one.at.right > box.getBoundingClientRect().right + 1)
        found.push('outside: ' + name(one.element))
      if (
        box.matches('.top, .foot') &&
        one.at.right > innerWidth + 1 &&
        box.scrollWidth > box.clientWidth + 1
      )
        found.push('outside: ' + name(one.element))
    }
  }
  const scrolls = [...document.querySelectorAll('.profile-page')].some(
    one => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY === 'auto',
  )
  // The verdict leaves the lanes their room, but where the page scrolls as a whole.
  for (const verdict of document.querySelectorAll('.verdict'))
    if (!scrolls && verdict.clientHeight > 0.34 * innerHeight)
      found.push('the verdict takes ' + verdict.clientHeight + ' pixels')
  // What the head says beside the name is there whole, and goes before the name does.
  for (const facts of document.querySelectorAll('.facts')) {
    const box = facts.getBoundingClientRect(),
      shown = [...facts.children].filter(
        fact => seen(facts) && fact.getBoundingClientRect().top < box.bottom - 1,
      )
    for (const fact of shown)
      if (fact.getBoundingClientRect().right > box.right + 1)
        found.push('cut: the fact ' + name(fact))
    const title = document.querySelector('.profile-name')
    if (shown.length && title.scrollWidth > title.clientWidth + 1)
      found.push('cut: the name beside facts, ' + name(title))
  }
  for (const figure of document.querySelectorAll('.row .busy')) {
    const text = document.createRange()
    text.selectNodeContents(figure)
    if (
      seen(figure) &&
      figure.textContent &&
      text.getBoundingClientRect().left <
        figure.previousElementSibling.getBoundingClientRect().right + 4
    )
      found.push('touches its name: ' + name(figure.parentElement))
  }
  // Tables, code and bars of steps may be wider than their panel, by more than a few pixels, and
  // scroll in it; a table keeps its names in sight. Nothing else scrolls across, however far, no
  // drawing scrolls down, and nothing is cut at the bottom.
  const LOW = 200 // pixels: in less a drawing with its legend has no room
  const BARS = '.grid-box, .scrolled, .list, .chart-scroll, .cm-scroller, pre, .lm-TabBar-content'
  for (const box of document.querySelectorAll('*')) {
    const across = box.scrollWidth - box.clientWidth, // rounded apart: one more is none
      down = box.scrollHeight - box.clientHeight
    if ((across <= 1 && down <= 1) || box.clientWidth <= 1 || !seen(box)) continue
    const { overflowX, overflowY } = getComputedStyle(box),
      scrollsAcross = across > 1 && /auto|scroll/.test(overflowX)
    if (scrollsAcross && (!box.matches(BARS) || across < 20))
      found.push('scrolls by ' + across + ' pixels: ' + name(box))
    if (
      box.matches('.chart') &&
      down > 1 &&
      /auto|scroll/.test(overflowY) &&
      box.closest('.widget').clientHeight >= LOW
    )
      found.push('scrolls by ' + down + ' pixels down: ' + name(box))
    if (box.matches('.widget, .scrolled, .grid-box') && down > 1 && overflowY === 'hidden')
      found.push('cut by ' + down + ' pixels at the bottom: ' + name(box))
    if (!scrollsAcross || !box.matches('.grid-box, .scrolled, .list')) continue
    const right = box.getBoundingClientRect().left + box.clientLeft + box.clientWidth
    for (const one of box.querySelectorAll('*')) {
      if (one.closest('table')) continue
      const out = one.getBoundingClientRect().right + box.scrollLeft - right
      if (out > 1 && seen(one) && !one.querySelector('table') && !one.closest('pre, .chart-scroll'))
        found.push('reaches ' + Math.round(out) + ' pixels out of its panel: ' + name(one))
    }
    for (const cell of box.querySelectorAll('thead th:first-child:not(.number)'))
      if (seen(cell) && getComputedStyle(cell).position !== 'sticky')
        found.push('its names scroll away: ' + name(cell.closest('table')))
  }
  // Names and cells that are cut say so: by an ellipsis, and by the whole in a title.
  for (const one of document.querySelectorAll('.ends, .legend-name, .row .name'))
    if (
      seen(one) &&
      one.scrollWidth > one.clientWidth + 1 &&
      getComputedStyle(one).overflowX === 'visible'
    )
      found.push('cut without a sign: ' + name(one))
  for (const cell of document.querySelectorAll('.grid td'))
    if (
      seen(cell) &&
      cell.scrollWidth > cell.clientWidth + 1 &&
      !cell.querySelector('[title]') &&
      !cell.closest('[title]')
    )
      found.push('cut: ' + name(cell))
  // Texts of a column begin where its cells do, but those of a tree.
  for (const cell of document.querySelectorAll('.grid td:not(.number)')) {
    if (!seen(cell) || !cell.textContent.trim() || cell.querySelector('button, input, .no-fold'))
      continue
    const text = document.createRange()
    text.selectNodeContents(cell)
    const away =
      [...text.getClientRects()].find(one => one.width > 0).left -
      cell.getBoundingClientRect().left -
      parseFloat(getComputedStyle(cell).paddingLeft)
    if (Math.abs(away) > 2) found.push('begins ' + Math.round(away) + ' pixels off: ' + name(cell))
  }
  for (const hidden of document.querySelectorAll('.pies')) {
    const widget = hidden.closest('.widget'),
      button = widget.querySelector('.pies-button') // a table as first opened has neither
    if (button && !seen(hidden) && seen(widget) && !seen(button))
      found.push('hidden without a word: ' + name(hidden))
  }
  // What has but a sentence to say is as small as that where something is beside it; tabs stay
  // where they are.
  const bars = [...document.querySelectorAll('.lm-TabBar')].filter(
    bar => seen(bar) && bar.querySelectorAll('.lm-TabBar-tab').length > 1,
  )
  const isTab = widget => {
    const { left, top } = widget.getBoundingClientRect()
    return bars.some(bar => {
      const at = bar.getBoundingClientRect()
      return Math.abs(at.left - left) < 3 && Math.abs(at.bottom - top) < 3
    })
  }
  for (const widget of document.querySelectorAll('.widget')) {
    if (
      !seen(widget) ||
      isTab(widget) ||
      !widget.querySelector('p.unknown') ||
      widget.querySelector('table, svg, canvas, ol, ul, .cm-editor')
    )
      continue
    const at = widget.getBoundingClientRect(),
      last = Math.max(
        ...[...widget.querySelectorAll('p, dl, .bar')].map(
          one => one.getBoundingClientRect().bottom,
        ),
      )
    if (at.bottom - last > 60 && at.width > 320)
      found.push(
        'keeps ' + Math.round(at.bottom - last) + ' pixels below a sentence: ' + name(widget),
      )
  }
  for (const widget of document.querySelectorAll('.widget[data-most]')) {
    const drawing = widget.querySelector('.flame')
    if (
      !scrolls &&
      seen(widget) &&
      !isTab(widget) &&
      drawing &&
      widget.getBoundingClientRect().bottom - drawing.getBoundingClientRect().bottom > 120
    )
      found.push('keeps room below its drawing: ' + name(widget))
  }
  for (const row of document.querySelectorAll('.card-row'))
    if (row.scrollHeight > row.clientHeight + 1)
      found.push(
        'out of sight by ' +
          (row.scrollHeight - row.clientHeight) +
          ' pixels: ' +
          name(row.lastElementChild),
      )
  for (const tab of document.querySelectorAll('.lm-TabBar-tab.lm-mod-current')) {
    const text = document.createRange(),
      cross = tab.querySelector('.lm-TabBar-tabCloseIcon')
    text.selectNodeContents(tab.querySelector('.lm-TabBar-tabLabel'))
    if (
      seen(tab) &&
      cross &&
      text.getBoundingClientRect().right > cross.getBoundingClientRect().left + 4
    )
      found.push('covers: the cross, ' + name(tab))
  }
  for (const widget of document.querySelectorAll('.widget'))
    if (seen(widget) && !widget.textContent.trim() && !widget.querySelector('canvas'))
      found.push('empty: ' + name(widget))
  return [...new Set(found)]
}

export const looksOf = async page => [...(await page.evaluate(look)), ...(await smallOf(page))]
