// SPDX-License-Identifier: Apache-2.0
// What stands behind Layout, Share and ⋯ of the page: layouts; links and files; the mouse, theme, keys, and what is known
// of the profile.
import { doubtsOf } from '../base/doubts.js'
import { say } from '../base/element.js'
import { isOneFile } from '../base/packed.js'
import { html, nothing, signal } from '../lib/lit.js'
import { mouseMode } from '../timeline/pointer.js'
import { JOB, OFFERED, builtIn } from '../widgets/layouts.js'
import { menu } from '../widgets/menu.js'
import { tablesThere } from '../widgets/subjects.js'
import { nextTheme } from './theme.js'

/** @typedef {import('./profile.js').ProfilePage} ProfilePage */
/** @typedef {import('../widgets/menu.js').Item} Item */

/** Where the top bar has two lines, and the parts of the page stand below each other; page.css and
 * layouts.js say the same width. */
const NARROW = matchMedia('(max-width: 900px)')
/** Whether it has; the window is that of all profiles which are opened in it. */
export const narrow = signal(NARROW.matches)
NARROW.addEventListener('change', () => {
  narrow.value = NARROW.matches
})

/** Swaps what drag and Shift+drag do. */
export function swapMouse() {
  const next = mouseMode() === 'perfetto' ? 'nprof' : 'perfetto'
  localStorage.setItem('nprof-mouse', next)
  say('mouse as in ' + next)
}

/** Layouts that the server keeps, and the one that is shown, which may be gone from there. @param {ProfilePage} page */
function keptOf(page) {
  const now = page.layout.value
  return [...new Set([...page.kept.value, ...(builtIn(now) ? [] : [now])])]
}

/** Whether a profile has what a layout is for. @param {ProfilePage} page @param {string} name */
const hasUse = (page, name) =>
  name === JOB ? tablesThere(page, ['ranks']).length > 0 : !(isOneFile && name === 'SQL')

/** Layouts as in other viewers stand in the header. @param {ProfilePage} page */
export function layouts(page) {
  const item = (/** @type {string} */ name) => ({
    text: name,
    on: page.layout.value === name,
    run: () => {
      page.chooseLayout(name)
    },
  })
  const kept = keptOf(page)
  return menu(
    { label: 'Layout', text: 'Layout', title: 'Which widgets are where: ' + page.layout.value },
    [
      ...OFFERED.map(([title, names]) => ({
        title,
        items: names.filter(name => hasUse(page, name)).map(item),
      })),
      ...(kept.length ? [{ title: 'Kept, for all profiles', items: kept.map(item) }] : []),
      {
        title: 'This layout',
        items: [{ text: 'Save, rename, delete, export…', key: 'L', run: () => page.layoutMenu() }],
      },
    ],
  )
}

/** @param {ProfilePage} page @returns {Item[]} */
function others(page) {
  const { session } = page,
    doubts = doubtsOf(session.profile, session.head).length
  return [
    { text: 'Mouse: swap drag and Shift+drag', run: swapMouse },
    { text: 'Theme: the next one', key: 'T', run: () => say('theme: ' + nextTheme()) },
    { text: 'Keys and mouse', key: '?', run: () => page.help() },
    { text: 'About this profile', run: () => page.about() },
    {
      text: 'Problems and losses' + (doubts ? ': ' + doubts : ''),
      run: () => page.open('problems'),
    },
  ]
}

/** @param {ProfilePage} page */
const sharing = page => ({
  title: 'Share',
  items: [
    { text: 'Copy the link to what is seen', key: 'y', run: () => page.share() },
    ...(isOneFile ? [] : [{ text: 'Save the page as one file', run: () => page.saveFile() }]),
  ],
})

/** Compare and Share, which stand behind ⋯ where the window is narrow. @param {ProfilePage} page */
export function actions(page) {
  const title = 'Compare with another profile',
    compare = () => page.compare(),
    rest = { title: 'Page', items: others(page) }
  const more = (/** @type {import('../widgets/menu.js').Group[]} */ groups) =>
    menu({ label: 'More', name: 'More', text: '⋯' }, groups)
  if (narrow.value)
    return more([
      ...(isOneFile ? [] : [{ title: 'Compare', items: [{ text: title, run: compare }] }]),
      sharing(page),
      rest,
    ])
  return html`${isOneFile ? nothing : html`<button class="quiet wide" title=${title} @click=${compare}>Compare</button>`}
    ${menu({ label: 'Share', text: 'Share', title: 'The link to what is seen, or the page as one file' }, [sharing(page)])}
    ${more([rest])}`
}
