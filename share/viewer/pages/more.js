// SPDX-License-Identifier: Apache-2.0
// What stands behind ⋯ of the page: layouts, what lies over the bars, the mouse, theme, keys, and what is known of the profile.
import { doubtsOf } from '../base/doubts.js'
import { say } from '../base/element.js'
import { OVERLAYS } from '../base/session.js'
import { durationText } from '../base/time.js'
import { mouseMode } from '../timeline/pointer.js'
import { BUILT_IN, builtIn } from '../widgets/layouts.js'
import { menu } from '../widgets/menu.js'
import { aboutDialog } from './dialogs.js'
import { nextTheme } from './theme.js'

/** @typedef {import('./profile.js').ProfilePage} ProfilePage */
/** @typedef {import('../widgets/menu.js').Item} Item */

/** Swaps what drag and Shift+drag do. */
export function swapMouse() {
  const next = mouseMode() === 'perfetto' ? 'nprof' : 'perfetto'
  localStorage.setItem('nprof-mouse', next)
  say('mouse as in ' + next)
}

/** Why gaps are not drawn that tables have. @param {import('../base/session.js').Session} session */
function gapsNote(session) {
  const short = (session.strip.value?.short_gaps ?? []).reduce(
    (/** @type {bigint} */ sum, /** @type {[string]} */ [ps]) => sum + BigInt(ps),
    0n,
  )
  if (!short) return ''
  return (
    (session.gaps.value.length ? '; not drawn: ' : ': none is drawn, ') +
    durationText(short) +
    ' in gaps shorter than gap= of analyzer device'
  )
}

/** Layouts that are built in, that the server keeps, and the one that is shown, which may be gone from there. @param {ProfilePage} page */
function namesOf(page) {
  const now = page.layout.value
  return [
    ...new Set([...Object.keys(BUILT_IN), ...page.kept.value, ...(builtIn(now) ? [] : [now])]),
  ]
}

/** @param {ProfilePage} page @returns {Item[]} */
const layouts = page => [
  ...namesOf(page).map(name => ({
    text: name,
    on: page.layout.value === name,
    run: () => {
      page.chooseLayout(name)
    },
  })),
  { text: 'Save, rename, delete, export…', key: 'L', run: () => page.layoutMenu() },
]

/** @param {ProfilePage} page @returns {Item[]} */
const overlays = ({ session }) =>
  Object.entries(OVERLAYS).map(([key, text]) => ({
    text: text + (key === 'gaps' ? gapsNote(session) : ''),
    value: key,
    on: session.overlays[key].value === 'yes',
    run: () => session.toggleOverlay(key),
  }))

/** @param {ProfilePage} page @returns {Item[]} */
function others(page) {
  const { session } = page,
    doubts = doubtsOf(session.profile, session.head).length
  return [
    {
      text: 'One axis for all counters of a unit',
      on: session.axis.value === 'common',
      run: () => session.toggleAxis(),
    },
    { text: 'Mouse: swap drag and Shift+drag', run: swapMouse },
    { text: 'Theme: the next one', key: 'T', run: () => say('theme: ' + nextTheme()) },
    { text: 'Keys and mouse', key: '?', run: () => page.help() },
    { text: 'About this profile', run: () => aboutDialog(page) },
    {
      text: 'Problems and losses' + (doubts ? ': ' + doubts : ''),
      run: () => page.open('problems'),
    },
  ]
}

/** @param {ProfilePage} page */
export const more = page =>
  menu({ label: 'More', name: 'More', text: '⋯' }, [
    { title: 'Layout', items: layouts(page) },
    { title: 'Over the bars', items: overlays(page) },
    { title: 'Page', items: others(page) },
  ])
