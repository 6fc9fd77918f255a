// SPDX-License-Identifier: Apache-2.0
// Whether what people click and touch is large enough: 24 by 24 CSS pixels, or so far from all else that a circle of
// that size around its middle touches no other target (WCAG 2.2, 2.5.8). Links in a sentence are as high as its lines, and
// marks of a drawing as large as what they stand for: these are exempt.

/** Runs in the page. @returns {string[]} what is too small, with its size */
function look() {
  const LEAST = 24
  const names = element =>
    element.tagName.toLowerCase() +
    '.' +
    String(element.className).trim().replace(/\s+/g, '.') +
    ' "' +
    (element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 40) +
    '"'
  const isInline = element =>
    element.matches('a') &&
    getComputedStyle(element).display === 'inline' &&
    [...element.parentNode.childNodes].some(one => one.nodeType === 3 && one.textContent.trim())
  /** A box that a label holds is pressed with all of the label. */
  const areaOf = element => (element.closest('label') ?? element).getBoundingClientRect()
  const inSight = element => {
    const { left, top, width, height } = areaOf(element)
    if (!element.checkVisibility({ visibilityProperty: true }) || !width || !height) return false
    const there = document.elementFromPoint(left + width / 2, top + height / 2)
    return Boolean(there && (element.contains(there) || there.contains(element)))
  }
  const top = document.querySelector('dialog[open]') ?? document
  const targets = [
    ...top.querySelectorAll(
      'button, input, select, textarea, a[href], summary, [role=tab], [role=option], [role=treeitem]',
    ),
  ]
    .filter(
      one =>
        !one.matches(':disabled, .sr-only') &&
        !one.closest('svg') &&
        !isInline(one) &&
        inSight(one),
    )
    .map(element => ({ element, at: areaOf(element) }))
  const isSmall = ({ at }) => at.width < LEAST - 0.01 || at.height < LEAST - 0.01
  const middle = ({ at }) => [at.left + at.width / 2, at.top + at.height / 2]
  /** How far a point is from an area. */
  const far = ([x, y], at) =>
    Math.hypot(Math.max(at.left - x, 0, x - at.right), Math.max(at.top - y, 0, y - at.bottom))
  const touches = (one, other) => {
    if (other.element.contains(one.element)) return false
    if (one.element.contains(other.element)) return true
    if (far(middle(one), other.at) < LEAST / 2) return true
    const [a, b] = [middle(one), middle(other)]
    return isSmall(other) && Math.hypot(a[0] - b[0], a[1] - b[1]) < LEAST
  }
  return targets
    .filter(one => isSmall(one) && targets.some(other => other !== one && touches(one, other)))
    .map(
      ({ element, at }) =>
        'too small: ' + at.width.toFixed(1) + ' × ' + at.height.toFixed(1) + ' ' + names(element),
    )
}

/** @param {import('playwright-core').Page} page */
export const smallOf = page => page.evaluate(look)
