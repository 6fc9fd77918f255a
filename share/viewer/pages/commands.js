// SPDX-License-Identifier: Apache-2.0
// What keys and the command list do on the profile page; the help is made from this list.
import { durationText, readRange, readTime } from '../base/time.js'
import { say } from '../base/element.js'
import { idleBefore, near, slowest, stepBy } from '../base/find.js'
import { showGapOfScope } from '../widgets/shown.js'
import { OVERLAYS } from '../base/session.js'
import { GROUPINGS } from '../timeline/model.js'
import { MODES } from '../timeline/colours.js'
import { changeTree, fold, hide, pin, showAll } from '../timeline/tree.js'
import { sayColours, scopeText } from '../widgets/tools.js'
import { NAMES, VIEWS } from '../widgets/layouts.js'
import { outlineNothing } from '../widgets/outlined.js'
import { WIDGETS } from '../widgets/registry.js'
import { swapMouse } from './more.js'
import { nextTheme } from './theme.js'

/** @typedef {import('./profile.js').ProfilePage} ProfilePage */
/** @typedef {import('../base/keys.js').Command} Command */

/** @template T @param {T[]} list @param {T} now @param {number} by */
const after = (list, now, by) => list[(list.indexOf(now) + by + list.length) % list.length]

/** @param {ProfilePage} page @returns {Command[]} */
export function commandsOf(page) {
  return [...moving(page), ...finding(page), ...marking(page), ...looking(page), ...layouts(page)]
}

/** @param {string} group @param {string} id @param {string[]} keys @param {string} title @param {(event?: KeyboardEvent) => void} run @returns {Command} */
const command = (group, id, keys, title, run) => ({ id, title, keys, group, run })

/** @param {ProfilePage} page @returns {Command[]} */
function moving(page) {
  const { session } = page
  const zoom = (/** @type {number} */ factor) => {
    const timeline = page.timeline()
    if (timeline) timeline.zoom(timeline.anchor, factor)
  }
  const pan = (/** @type {number} */ part) => page.timeline()?.pan(part)
  const scroll = (/** @type {number} */ by) => {
    const timeline = page.timeline()
    if (timeline) timeline.scroll.scrollTop += by * timeline.height * 0.8
  }
  return [
    command('Move', 'zoom-in', ['w', 'ArrowUp'], 'Zoom in at the pointer', () => zoom(0.7)),
    command('Move', 'zoom-out', ['s', 'ArrowDown'], 'Zoom out', () => zoom(1 / 0.7)),
    command('Move', 'left', ['a', 'ArrowLeft'], 'Pan left by an eighth of the window', () =>
      pan(-1 / 8),
    ),
    command('Move', 'right', ['d', 'ArrowRight'], 'Pan right by an eighth of the window', () =>
      pan(1 / 8),
    ),
    command('Move', 'zoom-in-4', ['Shift+w', 'Shift+ArrowUp'], 'Zoom in four times as much', () =>
      zoom(0.7 ** 4),
    ),
    command(
      'Move',
      'zoom-out-4',
      ['Shift+s', 'Shift+ArrowDown'],
      'Zoom out four times as much',
      () => zoom(0.7 ** -4),
    ),
    command('Move', 'left-4', ['Shift+a', 'Shift+ArrowLeft'], 'Pan left by half a window', () =>
      pan(-1 / 2),
    ),
    command('Move', 'right-4', ['Shift+d', 'Shift+ArrowRight'], 'Pan right by half a window', () =>
      pan(1 / 2),
    ),
    command('Move', 'rows-up', ['PageUp'], 'Scroll the rows up', () => scroll(-1)),
    command('Move', 'rows-down', ['PageDown'], 'Scroll the rows down', () => scroll(1)),
    command('Move', 'whole', ['0'], 'Show the whole run', () =>
      session.show(session.whole.t0, session.whole.t1, true),
    ),
    command('Move', 'fit', ['f'], 'Centre the selection; again: fit it', () => fit(page)),
    command('Move', 'back', ['Backspace'], 'Undo a zoom', () => history.back()),
    command('Move', 'next-part', ['F6'], 'Next part of the page: verdict, panel, lanes, tabs', () =>
      nextPart(page.app, 1),
    ),
    command('Move', 'previous-part', ['Shift+F6'], 'Previous part of the page', () =>
      nextPart(page.app, -1),
    ),
  ]
}

/** Parts of the page, and what in each of them has the focus first. */
const PARTS = [
  ['section.verdict', 'button, a[href]'],
  ['.widget-details', 'button, a[href], summary'],
  ['.widget-timeline', '.over'],
  ['.lm-TabBar:not(.lm-mod-hidden), .widget', '[role=tab][aria-selected=true]'],
]

/** Moves the focus round the parts. @param {HTMLElement} app @param {1 | -1} by */
function nextPart(app, by) {
  const now = PARTS.findIndex(([part]) => document.activeElement?.closest(part)),
    from = now < 0 && by < 0 ? 0 : now
  for (let i = 1; i <= PARTS.length; i++) {
    const [part, first] = PARTS[(from + by * i + PARTS.length) % PARTS.length]
    const found = [...app.querySelectorAll(part)]
      .flatMap(one => [...one.querySelectorAll(first)])
      .find(one => one.checkVisibility())
    if (found) return /** @type {HTMLElement} */ (found).focus()
  }
}

/** @param {ProfilePage} page */
function fit(page) {
  const { session } = page,
    range = session.selectedTimes()
  if (!range) return say('Nothing is selected.')
  const { t0, t1 } = session.window.value,
    middle = (range.t0 + range.t1) / 2n
  const away = middle - (t0 + t1) / 2n,
    near = (away < 0n ? -away : away) <= (t1 - t0) / 100n
  if (near || page.fitted === session.selection.value) session.showSpan(range.t0, range.t1)
  else session.centre(middle)
  page.fitted = session.selection.value
}

/** @param {ProfilePage} page @returns {Command[]} */
function finding(page) {
  const { session } = page
  const hit = (/** @type {number} */ by) =>
    document.dispatchEvent(new CustomEvent('nprof-hit', { detail: by }))
  return [
    command(
      'Find',
      'search',
      ['/'],
      'Search; ">" in it: commands, "@": go to a time, ":": SQL',
      () => page.focusSearch(''),
    ),
    command('Find', 'commands', ['Ctrl+Shift+p', '>'], 'List of commands', () =>
      page.focusSearch('>'),
    ),
    command('Find', 'next-event', ['.'], 'Next event of the track', () => step(page, 'next')),
    command('Find', 'previous-event', [','], 'Previous event of the track', () =>
      step(page, 'previous'),
    ),
    command('Find', 'needed', [']'], 'Next along an arrow', () => along(page, 'needed')),
    command('Find', 'depends', ['['], 'Back along an arrow', () => along(page, 'depends')),
    command('Find', 'next-step', ['n'], 'Next step', () => stepBy(session, 1)),
    command('Find', 'previous-step', ['Shift+n'], 'Previous step', () => stepBy(session, -1)),
    command('Find', 'slowest', ['x'], 'Slowest event of the step, the area or the window', () =>
      slowest(session),
    ),
    command(
      'Find',
      'idle-before',
      ['i'],
      'Why its device was idle before the event; without one the longest idle gap',
      () => (session.details.value ? idleBefore(session) : showGapOfScope(session)),
    ),
    command('Find', 'source', ['o'], 'Line of code of the event', () => page.showSource()),
    command('Find', 'next-hit', ['Enter'], 'Next hit of the search', () => hit(1)),
    command('Find', 'previous-hit', ['Shift+Enter'], 'Previous hit', () => hit(-1)),
    command('Find', 'deselect', ['Escape'], 'Leave the search, else what is selected', () => {
      if (!session.measuring.value && page.leaveSearch()) return
      session.measuring.value = false
      session.select(null)
      outlineNothing(session)
    }),
  ]
}

/** @param {ProfilePage} page @param {'next' | 'previous'} way */
async function step(page, way) {
  const { session } = page,
    event = session.details.value
  if (event) return near(session, event, way)
  const lane = page.firstLane()
  if (lane === null) return
  const { row } = await session.ask('at', { lane, t: session.window.value.t0 - 1n, how: 'after' })
  if (row) session.select({ kind: 'event', row }, { reveal: true })
}

/** @param {ProfilePage} page @param {'needed' | 'depends'} way */
function along(page, way) {
  const link = page.session.details.value?.[way]?.[0]
  if (!link)
    return say(
      way === 'needed'
        ? 'Nothing that the file says needs this.'
        : 'This depends on nothing that the file says.',
    )
  document.dispatchEvent(new CustomEvent('nprof-step'))
  page.session.select({ kind: 'event', row: link.row }, { reveal: true })
}

/** @param {ProfilePage} page @returns {Command[]} */
function marking(page) {
  const { session } = page
  const here = () => {
    const event = session.details.value,
      timeline = page.timeline()
    return event
      ? BigInt(event.start)
      : (timeline?.cursor?.t ?? (session.window.value.t0 + session.window.value.t1) / 2n)
  }
  return [
    command('Mark', 'mark', ['m'], 'Marker at the selection, or at the pointer', () =>
      session.addMarker(here(), null),
    ),
    command('Mark', 'mark-range', ['Shift+m'], 'Mark the range of the selection', () => {
      const range = session.selectedTimes()
      if (range) session.addMarker(range.t0, range.t1)
      else say('Nothing is selected.')
    }),
    command('Mark', 'area', ['r'], 'Event to area', () => {
      const event = session.details.value
      if (event?.end) session.selectAreaOf(event)
    }),
    command('Mark', 'undo', ['Ctrl+z'], 'Undo', () => {
      const undo = session.undos.pop()
      if (undo) undo()
      else say('Nothing to undo.')
    }),
  ]
}

/** @param {ProfilePage} page @returns {Command[]} */
function looking(page) {
  const { session } = page
  return [
    command('Rows', 'pin', ['p'], 'Pin the row, or let it go', () => {
      const one = rowMeant(page)
      if (one) pin(session, one.node.hash)
    }),
    command('Rows', 'hide', ['h'], 'Hide the row', () => {
      const one = rowMeant(page)
      if (one) hide(session, one.node.hash)
    }),
    command('Rows', 'show-all', ['Shift+h'], 'Show all rows', () => showAll(session)),
    command('Rows', 'fold-row', ['Shift+e'], 'Fold or unfold the row', () => {
      const one = rowMeant(page)
      if (one) fold(session, one)
    }),
    command('Rows', 'fold-all', ['e'], 'Fold all rows; again: unfold them', () => foldAll(page)),
    command('Rows', 'group', ['g'], 'Group rows by the next thing', () => {
      session.grouping.value = after(GROUPINGS, session.grouping.value, 1)
      say('grouped by ' + session.grouping.value)
    }),
    command('Look', 'colour', ['c'], 'Colour by the next thing', () => {
      session.colourMode.value = after(Object.keys(MODES), session.colourMode.value, 1)
      sayColours(session)
    }),
    // Their id has the words of Neuron's viewer for it, for the list of commands finds those, too.
    ...Object.keys(MODES).map(mode =>
      command(
        'Look',
        'edit view settings: instruction grouping = ' + mode,
        [],
        'Colour by ' + mode,
        () => {
          session.colourMode.value = mode
          sayColours(session)
        },
      ),
    ),
    ...Object.entries(OVERLAYS).map(([key, text]) =>
      command('Look', 'overlay-' + key, [], 'Show or hide ' + text, () =>
        session.toggleOverlay(key),
      ),
    ),
    command('Look', 'scope', ['v'], 'Pin the scope of all widgets, or let it go', () => {
      session.togglePin()
      say('scope: ' + scopeText(session))
    }),
    command('Look', 'axis', [], 'One axis for all counters of a unit, or one for each', () =>
      session.toggleAxis(),
    ),
    command('Look', 'critical', ['k'], 'Critical path', () => page.open('critical')),
    command('Look', 'theme', ['t'], 'Light, dark, or as the system says', () =>
      say('theme: ' + nextTheme()),
    ),
    command('Look', 'link', ['y'], 'Copy the link to what is seen', () => page.share()),
    command('Look', 'file', [], 'Share the page as one file, which needs no server', () =>
      page.saveFile(),
    ),
    command('Look', 'about', [], 'About this profile', () => page.about()),
    command('Look', 'help', ['?'], 'This help', () => page.help()),
  ]
}

/** The row that a key means: whose head has the focus, else the one below the pointer, else that of the selected event, else the first. @param {ProfilePage} page */
function rowMeant(page) {
  const { session } = page,
    timeline = page.timeline(),
    event = session.details.value,
    first = session.rows.value.rows.find(one => one.node.hash === timeline?.focus)
  if (timeline?.tree.contains(document.activeElement)) return first
  const below = timeline?.cursor && timeline.rowAt(timeline.cursor.y)
  if (below) return below.row
  const own = event && session.rows.value.rowOf(event.lane, event.track, session.groupOf(event.row))
  return own ?? first
}

/** @param {ProfilePage} page */
function foldAll(page) {
  const { session } = page,
    { rows, nodes } = session.rows.value
  const unfold = !rows.some(row => row.open && row.expandable)
  changeTree(session, {
    open: Object.fromEntries(
      [...nodes.values()]
        .filter(node => node.children.length || node.lanes.length > 1)
        .map(node => [node.hash, unfold]),
    ),
  })
}

const SIDES = /** @type {const} */ (['left', 'right', 'top', 'bottom'])
/** @type {[string, number, 'horizontal' | 'vertical'][]} */
const RESIZES = [
  ['wider', 1.25, 'horizontal'],
  ['narrower', 0.8, 'horizontal'],
  ['taller', 1.25, 'vertical'],
  ['lower', 0.8, 'vertical'],
]

/** @param {ProfilePage} page @returns {Command[]} */
function layouts(page) {
  const others = [...WIDGETS.keys()].filter(id => !VIEWS.includes(id))
  return [
    ...[...VIEWS, ...others].map((id, i) =>
      command(
        'Views',
        'show-' + id,
        i < 9 ? [String(i + 1)] : [],
        'Show ' + WIDGETS.get(id)?.title,
        () => page.open(id),
      ),
    ),
    ...NAMES.map(name =>
      command('Layouts', 'layout-' + name, [], 'Layout ' + name, () => page.chooseLayout(name)),
    ),
    command('Layouts', 'layouts', ['l'], 'Layouts: save, rename, delete, export', () =>
      page.layoutMenu(),
    ),
    command('Layouts', 'dock', ['q'], 'Tabs below: a third, most of the height, none', () =>
      page.nextBottom(),
    ),
    command('Layouts', 'add', ['+'], 'Add a widget', () => page.addMenu()),
    command('Layouts', 'mouse', [], 'Mouse: swap drag and Shift+drag (nprof, Perfetto)', swapMouse),
    ...SIDES.map(side =>
      command('Layouts', 'move-' + side, [], 'Move the widget in front to the ' + side, () =>
        page.moveCurrent(/** @type {const} */ (`split-${side}`)),
      ),
    ),
    ...RESIZES.map(([word, factor, way]) =>
      command('Layouts', 'make-' + word, [], 'Make the widget in front ' + word, () =>
        page.resizeCurrent(factor, way),
      ),
    ),
    command('Layouts', 'close', [], 'Close the widget in front', () => page.closeCurrent()),
  ]
}

/** What "@..." in the search does: a time, or a range. @param {ProfilePage} page @param {string} text */
export function goTo(page, text) {
  const { session } = page,
    zero = session.zero.value.t,
    range = readRange(text)
  if (range) return session.show(range.t0 + zero, range.t1 + zero, true)
  const t = readTime(text)
  if (t === null)
    return say('@ wants a time or a range: @6000..6600 (ns), @6000-6600, @5ms, @5ms 6ms')
  session.centre(t + zero)
  say('at ' + durationText(t))
}
