// SPDX-License-Identifier: Apache-2.0
// The colours of the canvases, read from the style sheet so that light, dark and forced colours agree.

/** @type {{key: string, theme: import('./paint.js').Theme} | null} */
let known = null

/** @param {Element} element @returns {import('./paint.js').Theme} */
export function themeOf(element) {
  const style = getComputedStyle(element)
  const of = (/** @type {string} */ name) => style.getPropertyValue(name).trim()
  const key = of('--background') + of('--accent')
  if (known?.key === key) return known.theme
  const theme = {
    background: of('--background'), text: of('--text'), faint: of('--faint'), line: of('--line'), accent: of('--accent'),
    series: of('--series'), hatch: of('--hatch'),
  }
  known = { key, theme }
  return theme
}
