// SPDX-License-Identifier: Apache-2.0
// Each key that the help lists is pressed and does what the help says; none fires while somebody types (test 60 of the list).
import assert from 'node:assert/strict'
import {
  SYNTHETIC,
  ask,
  chosen,
  colourAt,
  csvOf,
  drawn,
  openProfile,
  openTab,
  pointOf,
  psOf,
  rest,
  suite,
  until,
  windowIn,
} from './harness.mjs'

const view = suite([SYNTHETIC])
const WITH_ARROWS = 'name~jit_train_step kind=span',
  WITH_SOURCE = 'name=fusion.15 kind=span'

/** What keys may change, as people see and hear it. */
async function stateOf(page) {
  const seen = await page.evaluate(() => {
    const text = selector => document.querySelector(selector)?.textContent.trim() ?? '',
      choice = group =>
        document.querySelector(`.menu-list [aria-label^="${group}"] [aria-checked=true]`).dataset
          .value
    return {
      part: ['.over lanes', '.widget-details panel', '[role=tab] tabs']
        .map(one => one.split(' '))
        .find(([there]) => document.activeElement.closest(there))?.[1],
      name: text('.widget-details .event-name'),
      title: text('.widget-details h2'),
      start: text('.widget-details dd'),
      hit: text('.pages'),
      said: text('[data-say]'),
      dialog: document.querySelector('dialog[open]')?.getAttribute('aria-label') ?? '',
      offered: text('.command-list li'),
      tabs: [...document.querySelectorAll('.lm-TabBar-tabLabel')].map(one => one.textContent),
      front: [...document.querySelectorAll('.lm-TabBar-tab.lm-mod-current')].map(
        one => one.textContent,
      ),
      rows: [...document.querySelectorAll('.tree .row .name')].map(one => one.textContent.trim()),
      pinned: document.querySelectorAll('.pinned-tree .row').length,
      open: document.querySelectorAll('.tree .row[aria-expanded=true]').length,
      scrolled: document.querySelector('.timeline .scroll').scrollTop,
      lanes: document.querySelector('.timeline').clientHeight,
      theme: localStorage.getItem('nprof-theme') ?? 'auto',
      colour: choice('Colour by'),
      group: choice('Group by'),
      scope: document.querySelector('.scope-chip button').dataset.value,
      marks:
        JSON.parse(new URL(location.href).searchParams.get('m') ?? '{"markers":[]}').markers ?? [],
      search: document.activeElement.classList.contains('search'),
      query: document.querySelector('.search').value,
      window: document.querySelector('.scope-chip > button').title,
    }
  })
  return { ...seen, ...windowIn(seen.window) }
}

const length = state => Number(state.t1 - state.t0),
  times = (a, b, factor) => Math.abs(length(b) / length(a) / factor - 1) < 1e-6
const panned = (a, b, part) =>
  times(a, b, 1) && Math.abs(Number(b.t0 - a.t0) / length(a) - part) < 1e-6
/** Whether there is one marker more, at the start of the event, of which that holds. */
const isMarked = (a, b, is) =>
  b.marks.length === a.marks.length + 1 &&
  b.marks.some(
    mark => BigInt(mark.t) === startOf(a) && !a.marks.some(old => old.id === mark.id) && is(mark),
  )
const startOf = state => psOf(state.start.replace(' ns', ''))

/** Before a key: a window in the run, nothing selected or found, the layout of the start as it was. */
const fresh = async page => {
  const now = await stateOf(page)
  if (now.dialog) await page.locator('dialog[open] .close').click()
  if (now.query || now.search) await ask(page, '')
  if (now.title) await page.keyboard.press('Escape')
  if (now.scope === 'pinned') await page.keyboard.press('v')
  if (String(now.tabs) !== String(page.startTabs)) {
    for (const name of ['sql', 'standard']) await ask(page, '>layout ' + name)
    await until(
      'the layout of the start',
      async () => String((await stateOf(page)).tabs) === String(page.startTabs),
    )
  }
  await ask(page, '@4000000..16000000')
}

const found = text => async page => {
  await fresh(page)
  await ask(page, text)
  await page.locator('.widget-details .event-name').waitFor()
  await until('its page', async () =>
    /^\d+ of \d+$/.test(await page.locator('.pages').textContent()),
  )
}
/** After other keys, since a key does nothing before them. */
const after =
  (first, ...keys) =>
  async page => {
    await first(page)
    for (const key of keys) {
      const old = await stateOf(page)
      await page.keyboard.press(key)
      await until(
        'what ' + key + ' does',
        async () => JSON.stringify(await stateOf(page), text) !== JSON.stringify(old, text),
      )
    }
  }
const text = (_key, value) => (typeof value === 'bigint' ? String(value) : value)
const marked = after(found(WITH_SOURCE), 'm')

const atLanes = async page => {
  await fresh(page)
  await page.locator('.timeline .over').focus()
}

/** By what the help says of a key: what is there before it, and what has come of it. */
const EFFECTS = {
  'Zoom in at the pointer': [fresh, (a, b) => times(a, b, 0.7)],
  'Zoom out': [fresh, (a, b) => times(a, b, 1 / 0.7)],
  'Pan left by an eighth of the window': [fresh, (a, b) => panned(a, b, -1 / 8)],
  'Pan right by an eighth of the window': [fresh, (a, b) => panned(a, b, 1 / 8)],
  'Zoom in four times as much': [fresh, (a, b) => times(a, b, 0.7 ** 4)],
  'Zoom out four times as much': [
    after(fresh, 'Shift+w', 'Shift+w'),
    (a, b) => times(a, b, 0.7 ** -4),
  ],
  'Pan left by half a window': [fresh, (a, b) => panned(a, b, -1 / 2)],
  'Pan right by half a window': [fresh, (a, b) => panned(a, b, 1 / 2)],
  'Scroll the rows up': [after(fresh, 'e', 'e', 'PageDown'), (a, b) => b.scrolled < a.scrolled],
  'Scroll the rows down': [after(fresh, 'e', 'e'), (a, b) => b.scrolled > a.scrolled],
  'Show the whole run': [fresh, (_a, b, whole) => b.t0 === whole.t0 && b.t1 === whole.t1],
  'Centre the selection; again: fit it': [
    after(found(WITH_SOURCE), 'Shift+d', 'Shift+d', 'Shift+d'),
    (a, b) =>
      times(a, b, 1) &&
      startOf(b) > b.t0 &&
      startOf(b) < b.t1 &&
      !(startOf(a) > a.t0 && startOf(a) < a.t1),
  ],
  'Undo a zoom': [
    async page => {
      await fresh(page)
      await ask(page, '@5000000..6000000')
    },
    (a, b) => b.t0 === 4000000000n && b.t1 === 16000000000n,
  ],
  'Next part of the page: verdict, panel, lanes, tabs': [
    atLanes,
    (a, b) => a.part === 'lanes' && b.part === 'tabs',
  ],
  'Previous part of the page': [atLanes, (a, b) => a.part === 'lanes' && b.part === 'panel'],
  'Search; ">" in it: commands, "@": go to a time, ":": SQL': [
    fresh,
    (_a, b) => b.search && /^gap /.test(b.offered),
  ],
  'List of commands': [fresh, (_a, b) => b.search && /^Zoom in /.test(b.offered)],
  'Next event of the track': [found(WITH_ARROWS), (a, b) => b.name && startOf(b) > startOf(a)],
  'Previous event of the track': [
    after(found(WITH_ARROWS), '.'),
    (a, b) => b.name && startOf(b) < startOf(a),
  ],
  'Next along an arrow': [
    after(found(WITH_ARROWS), '['),
    (a, b) => b.name.startsWith('jit_train_step') && a.name !== b.name,
  ],
  'Back along an arrow': [
    found(WITH_ARROWS),
    (a, b) => a.name.startsWith('jit_train_step') && b.name && a.name !== b.name,
  ],
  'Next step': [after(fresh, 'n'), (a, b) => a.title === 'Step 0' && b.title === 'Step 1'],
  'Previous step': [after(fresh, 'n', 'n'), (a, b) => a.title === 'Step 1' && b.title === 'Step 0'],
  'Slowest event of the step, the area or the window': [
    fresh,
    (_a, b) => /^fusion|^convolution|^copy/.test(b.name),
  ],
  'Why its device was idle before the event; without one the longest idle gap': [
    after(found(WITH_ARROWS), 'Enter'),
    (a, b) => b.said !== a.said && /idle/.test(b.said),
  ],
  'Line of code of the event': [
    found(WITH_SOURCE),
    (a, b) => !a.front.includes('Source') && b.front.includes('Source'),
  ],
  'Next hit of the search': [
    found(WITH_SOURCE),
    (a, b) =>
      Number.parseInt(b.hit, 10) ===
      (Number.parseInt(a.hit, 10) % Number(a.hit.split(' of ')[1])) + 1,
  ],
  'Previous hit': [
    after(found(WITH_SOURCE), 'Enter'),
    (a, b) =>
      Number.parseInt(b.hit, 10) ===
      ((Number.parseInt(a.hit, 10) + Number(a.hit.split(' of ')[1]) - 2) %
        Number(a.hit.split(' of ')[1])) +
        1,
  ],
  'Leave the search, else what is selected': [
    found(WITH_SOURCE),
    (a, b) => a.query && !b.query && b.name === a.name,
  ],
  'Marker at the selection, or at the pointer': [
    found(WITH_SOURCE),
    (a, b) =>
      /^marker \d+ at/.test(b.said) &&
      b.said.endsWith(a.start) &&
      isMarked(a, b, mark => mark.range === null),
  ],
  'Mark the range of the selection': [
    found(WITH_SOURCE),
    (a, b) =>
      /^marker \d+ at/.test(b.said) &&
      b.said.endsWith(a.start) &&
      isMarked(a, b, mark => mark.range !== null && BigInt(mark.range) > BigInt(mark.t)),
  ],
  'Event to area': [found(WITH_SOURCE), (a, b) => b.title === 'Area' && b.start === a.start],
  Undo: [marked, (a, b) => /^marker/.test(a.said) && b.said === 'undone: ' + a.said],
  'Pin the row, or let it go': [fresh, (a, b) => b.pinned === 1 - a.pinned],
  'Hide the row': [found('name=2 kind=span'), (a, b) => b.rows.length < a.rows.length],
  'Show all rows': [after(found(WITH_SOURCE), 'h'), (a, b) => b.rows.length > a.rows.length],
  'Fold or unfold the row': [fresh, (a, b) => b.open !== a.open],
  'Fold all rows; again: unfold them': [fresh, (a, b) => (a.open ? b.open === 0 : b.open > 0)],
  'Group rows by the next thing': [
    fresh,
    (a, b) => b.group !== a.group && String(b.rows) !== String(a.rows),
  ],
  'Colour by the next thing': [fresh, (a, b) => b.colour !== a.colour],
  'Pin the scope of all widgets, or let it go': [
    after(fresh, 'w'),
    (a, b) => b.scope === 'pinned' && b.said.startsWith('scope: pinned, whatever'),
  ],
  'Critical path': [
    fresh,
    (a, b) => !a.front.includes('Critical path') && b.front.includes('Critical path'),
  ],
  'Light, dark, or as the system says': [
    fresh,
    (a, b) => b.theme !== a.theme && b.said === 'theme: ' + b.theme,
  ],
  'Copy the link to what is seen': [
    fresh,
    (_a, b) => /^Copied link: http.*t=4000000\.\.16000000/.test(b.said),
  ],
  'This help': [fresh, (_a, b) => b.dialog === 'Keys and mouse'],
  'Layouts: save, rename, delete, export': [fresh, (_a, b) => b.dialog === 'Layouts'],
  'Tabs below: a third, most of the height, none': [
    async page => {
      await fresh(page)
      await openTab(page, 'Operators')
    },
    (a, b) => b.lanes < 0.75 * a.lanes && String(b.tabs) === String(a.tabs),
  ],
  'Add a widget': [fresh, (_a, b) => b.dialog === 'Add a widget'],
}
for (const name of [
  'Operators',
  'Steps',
  'Flame',
  'Memory',
  'Roofline',
  'Communication',
  'Gaps',
  'Latency',
  'Source',
]) {
  EFFECTS['Show ' + name] = [
    name === 'Operators' ? after(fresh, '2') : fresh,
    (a, b) =>
      !a.front.includes(name) && b.front.includes(name) && String(b.tabs) === String(a.tabs),
  ]
}

const KEYS = {
  '↑': 'ArrowUp',
  '↓': 'ArrowDown',
  '←': 'ArrowLeft',
  '→': 'ArrowRight',
  PgUp: 'PageUp',
  PgDn: 'PageDown',
  Esc: 'Escape',
  Ctrl: 'Control',
}

/** A key as the help writes it, for the browser. */
const keyOf = written =>
  written === '+'
    ? '+'
    : written
        .split(' + ')
        .map(part => KEYS[part] ?? (/^[A-Z]$/.test(part) ? part.toLowerCase() : part))
        .join('+')

/** What the help lists: [what it says, its keys]. */
async function listed(page) {
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keys and mouse' })
  await help.waitFor()
  const all = await help
    .locator('section')
    .evaluateAll(sections =>
      sections
        .filter(one => one.querySelector('kbd'))
        .flatMap(one =>
          [...one.querySelectorAll('dt')].map(dt => [
            dt.nextElementSibling.textContent.trim(),
            [...dt.querySelectorAll('kbd')].map(kbd => kbd.textContent),
          ]),
        ),
    )
  await page.keyboard.press('Escape')
  return all.map(([says, keys]) => [says, keys.map(keyOf)])
}

view.test('T60 each key of the help does what the help says', async () => {
  const page = await openProfile(view.url, {
    permissions: ['clipboard-write', 'clipboard-read'],
    brief: true,
  })
  const keys = await listed(page)
  const whole = await stateOf(page)
  page.startTabs = whole.tabs
  assert.deepEqual(keys.map(([says]) => says).sort(), Object.keys(EFFECTS).sort())
  for (const [says, own] of keys) {
    for (const key of own) {
      const [given, come] = EFFECTS[says]
      await given(page)
      await rest(page)
      const before = await stateOf(page)
      await page.keyboard.press(key)
      let now
      await until(key + ': ' + says, async () =>
        come(before, (now = await stateOf(page)), whole),
      ).catch(error => {
        throw new Error(error.message + '\n' + JSON.stringify({ before, now }, text, 1))
      })
    }
  }
})

/** What is coloured alike by each thing, of events of the sample: two of a name in two steps, one of the same kind, one of another category and its layer, and one of the host. */
const ALIKE = {
  work: ['first second'],
  operator: ['first second'],
  name: ['first second'],
  kind: ['first second', 'first kin'],
  category: ['first second', 'first kin'],
  layer: ['first second'],
  engine: ['first second', 'first kin', 'first other'],
  source: ['first second'],
  rank: ['first second', 'first kin', 'first other', 'first host'],
  step: ['first kin', 'first other'],
  duration: ['first second', 'first kin', 'first other', 'first host'],
}

view.test('T60 c colours bars by the next thing, each as its name says', async () => {
  const page = await openProfile(view.url),
    rows = (
      await csvOf(SYNTHETIC, [
        'kind',
        'name',
        'process',
        'thread',
        'step',
        'start_ns',
        'duration_ns',
      ])
    ).filter(row => row.kind === 'span')
  const ofName = (name, step) =>
    rows.find(
      row =>
        row.name === name &&
        row.step === step &&
        row.thread === 'XLA Ops' &&
        row.process === '/device:TPU:0',
    )
  const events = {
    first: ofName('fusion.15', '0'),
    second: ofName('fusion.15', '1'),
    kin: ofName('fusion.11', '0'),
    other: ofName('all-reduce.2', '0'),
    host: rows.find(row => row.thread === 'python' && Number(row.duration_ns) > 300000),
  }
  await page.locator('.timeline .over').focus()
  await page.mouse.move(5, 5)
  await page.setViewportSize({ width: 2400, height: 1400 })
  await drawn(page)
  const points = []
  for (const row of Object.values(events)) {
    const { x, y } = await pointOf(
      page,
      row.thread,
      psOf(row.start_ns) + (psOf(row.duration_ns) * 7n) / 10n,
      /^fusion/.test(row.name) ? 1 : 0,
    )
    points.push({ x, y: y - 4 })
  }
  const modes = Object.keys(ALIKE),
    items = page.locator('.menu-list [aria-label^="Colour by"] [role^=menuitem]')
  assert.deepEqual(await items.allTextContents(), modes)
  let last = await page.locator('.timeline .bars').evaluate(canvas => canvas.toDataURL()),
    others = 0
  for (const mode of [...modes.slice(1), modes[0]]) {
    await page.keyboard.press('c')
    await until(mode, async () => (await chosen(page, 'Colour by')) === mode)
    const seen = async () => {
      const [first, ...colours] = await Promise.all(
        points.map(at => colourAt(page.locator('.timeline .bars'), at)),
      )
      return Object.keys(events)
        .slice(1)
        .filter((_, i) => colours[i] === first)
        .map(key => 'first ' + key)
    }
    await until(
      'colours by ' + mode,
      async () => String(await seen()) === String(ALIKE[mode]),
    ).catch(async error => {
      throw new Error(error.message + ': ' + (await seen()))
    })
    const now = await page.locator('.timeline .bars').evaluate(canvas => canvas.toDataURL())
    others += now !== last
    last = now
  }
  assert.equal(others, modes.length)
})

view.test('T60 no key fires while somebody types', async () => {
  const page = await openProfile(view.url),
    keys = (await listed(page))
      .flatMap(([, own]) => own)
      .filter(key => key.length === 1 && !'>@:'.includes(key))
  await page.keyboard.press('/')
  const before = await stateOf(page),
    field = page.getByLabel('Search the whole profile')
  for (const key of keys) await page.keyboard.press(key)
  assert.equal(await field.inputValue(), keys.join(''))
  await rest(page) // what a key does may come a moment later
  const now = await stateOf(page)
  assert.deepEqual({ ...now, query: '', offered: before.offered }, before)
})
