// SPDX-License-Identifier: Apache-2.0
// The colours of the canvases, read from the style sheet so that light, dark and forced colours agree.

/** Asking for styles costs a tenth of a frame; they change with the theme alone. @type {import('./paint.js').Theme | null} */
let known = null
const forget = () => { known = null }
document.addEventListener('nprof-theme', forget)
globalThis.matchMedia?.('(forced-colors: active)').addEventListener('change', forget)

/** @returns {import('./paint.js').Theme} */
export function themeNow() {
  if (known) return known
  const style = getComputedStyle(document.documentElement)
  const of = (/** @type {string} */ name) => style.getPropertyValue(name).trim()
  return (known = {
    background: of('--panel'), text: of('--ink'), faint: of('--ink3'), line: of('--line'), accent: of('--link'),
    series: of('--k'), hatch: of('--x'), lost: of('--warn'),
  })
}
