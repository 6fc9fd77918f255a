// SPDX-License-Identifier: Apache-2.0
// How many acts each task takes from the page as it is opened: a click, a drag, a key, a text that is
// typed. A task is a row.
import assert from 'node:assert/strict'
import { clickEvent, drag, openProfile, put, rowOf, suite, until, windowOf } from './harness.mjs'
import { SLOWEST, torchTrace } from './torch.mjs'

/** Frames of Python around the launches of the first step: two layers of one class, and another. */
const FRAMES = [
  ['model.py(7): forward', 50, 8000],
  ['nn.Module: Block_0', 60, 2300],
  ['nn.Module: Block_1', 2400, 2300],
  ['nn.Module: Head_0', 4750, 2300],
].map(([name, ts, dur]) => ({ ph: 'X', cat: 'python_function', name, pid: 100, tid: 1, ts, dur }))
const trace = torchTrace(4, 20)
trace.traceEvents.push(...FRAMES)
const view = suite(() => [put('acts.pt.trace.json', trace)], 'acts')
const panel = page => page.locator('.widget-details'),
  event = name => page => panel(page).locator('.event-name', { hasText: name }).waitFor(),
  head = text => page => panel(page).locator('h2', { hasText: text }).waitFor(),
  key = name => page => page.keyboard.press(name),
  front = name => page => page.getByRole('tab', { name, exact: true }).click(),
  /** Within a widget, not beside it. */
  shows = (widget, text) => page => page.locator('.widget-' + widget, { hasText: text }).waitFor()
const narrowed = async (page, whole) =>
  until('a shorter window', async () => {
    const { t0, t1 } = await windowOf(page)
    return t1 - t0 < whole.t1 - whole.t0
  })
const over = async (page, x, y) => {
  const box = await page.locator('.timeline .over').boundingBox()
  return { x: box.x + box.width * x, y: box.y + y }
}
const across = (keys, from, to) => async page =>
  drag(page, await over(page, from, 30), await over(page, to, 60), { keys })
const FIRST = { name: 'flash_fwd', t: 250n * 1000000n } // a time within the first kernel

/** What people want; what they do, an act each; how it is seen that they have it. */
const TASKS = [
  [
    'what bounds it, and how much',
    [],
    page => page.locator('.verdict h1', { hasText: /%/ }).waitFor(),
  ],
  ['what to try', [], page => page.locator('.advice dt', { hasText: 'Try' }).first().waitFor()],
  [
    'the slowest kernel, seen',
    [key('x')],
    async (page, whole) => {
      await event(SLOWEST)(page)
      await narrowed(page, whole)
    },
  ],
  ['the longest idle gap by a key', [key('i')], head(/^Idle/)],
  ['zoom', [across([], 0.3, 0.5)], narrowed],
  [
    'zoom by the wheel',
    [
      async page => {
        const { x, y } = await over(page, 0.5, 40)
        await page.mouse.move(x, y)
        await page.keyboard.down('Control')
        await page.mouse.wheel(0, -300)
        await page.keyboard.up('Control')
      },
    ],
    narrowed,
  ],
  ['measure, and what ran there', [across(['Shift'], 0.3, 0.5)], head('Area')],
  [
    'from a kernel to its launch and who called that',
    [page => clickEvent(page, 'stream 7', FIRST.t, FIRST.name)],
    async page => {
      await panel(page).getByText('cudaLaunchKernel').first().waitFor()
      await panel(page)
        .getByText('aten::' + FIRST.name)
        .first()
        .waitFor()
    },
  ],
  [
    'the Python that called a kernel',
    [page => clickEvent(page, 'stream 7', FIRST.t, FIRST.name)],
    async page => {
      for (const name of ['model.py(7): forward', 'Block_0'])
        await panel(page).locator('.callers', { hasText: name }).waitFor()
    },
  ],
  [
    'statistics of a name',
    [page => clickEvent(page, 'stream 7', FIRST.t, FIRST.name)],
    page =>
      panel(page)
        .getByRole('heading', { name: /^All \d+ of this name/ })
        .waitFor(),
  ],
  [
    'the longest idle gap, and its cause',
    [page => page.locator('.figure-list button').first().click()],
    head(/^Idle/),
  ],
  [
    'fewer tracks',
    [page => page.getByPlaceholder('Filter rows').fill('stream 20')],
    page => rowOf(page, 'stream 7').waitFor({ state: 'detached' }),
  ],
  ['a row on top', [key('p')], page => page.locator('.pinned-tree .row').waitFor()],
  [
    'the row below the pointer on top',
    [
      async page => {
        const lane = await rowOf(page, 'stream 20').boundingBox(),
          { x } = await over(page, 0.5, 0)
        await page.mouse.move(x, lane.y + lane.height / 2)
      },
      key('p'),
    ],
    page => page.locator('.pinned-tree .row', { hasText: 'stream 20' }).waitFor(),
  ],
  [
    'the link to what is seen',
    [key('y')],
    page => page.locator('[data-say]', { hasText: /link/i }).waitFor({ state: 'attached' }),
  ],
  [
    'the window as a file for Perfetto',
    [page => page.keyboard.type('/exp'), key('Enter')],
    async (_page, _whole, saved) =>
      assert.match((await saved).suggestedFilename(), /\.json(\.gz)?$/),
  ],
  [
    'a note at a time',
    [key('m')],
    page => page.locator('[data-say]', { hasText: /^marker 1 at/ }).waitFor({ state: 'attached' }),
  ],
  [
    'SQL',
    [front('SQL'), page => page.getByRole('button', { name: 'Run', exact: true }).click()],
    page => page.locator('.widget-sql tbody tr').first().waitFor(),
  ],
  [
    'a flame graph',
    [front('Flame')],
    page => page.locator('.widget-flame [role=treeitem]').first().waitFor(),
  ],
  [
    'the time of each layer, those of a class together',
    [front('Flame')],
    async page => {
      const frames = page.locator('.widget-flame [role=treeitem]', { hasText: /Block/ })
      await frames.first().waitFor()
      assert.equal(await frames.count(), 1)
      assert.match(await frames.textContent(), /^\s*nn.Module: Block × 2: /)
    },
  ],
  ['the peak of memory, and who holds it', [front('Memory')], shows('memory', /peak/i)],
  [
    'which step is slow',
    [front('Steps')],
    page => page.locator('.widget-steps tbody tr').first().waitFor(),
  ],
  [
    'names that a text has',
    [page => page.getByLabel('Search the whole profile').fill('gemm_')],
    page => page.locator('.search-box', { hasText: '4 names' }).waitFor(),
  ],
  [
    'names that a regular expression has',
    [page => page.getByLabel('Search the whole profile').fill('^flash_(fwd|bwd)$')],
    page => page.locator('.search-box', { hasText: '2 names' }).waitFor(),
  ],
  [
    'to a part of the page by a key, and round',
    ['F6', 'F6', 'F6', 'F6', 'F6', 'Shift+F6'].map(key),
    page => page.locator('[role=tab][aria-selected=true]:focus').waitFor(),
  ],
  [
    'to the timeline by keys alone',
    [key('Tab'), key('Enter')],
    page => page.locator('.timeline .over:focus').waitFor(),
  ],
]

/** Most that each may take. */
const MOST = {
  'what bounds it, and how much': 0,
  'what to try': 0,
  'the window as a file for Perfetto': 2,
  'the row below the pointer on top': 2, // the pointer is there already
  SQL: 2,
  'to a part of the page by a key, and round': 6,
  'to the timeline by keys alone': 2,
}

for (const [task, acts, seen] of TASKS)
  view.test(`${task}: acts: ${acts.length}`, async () => {
    assert.ok(acts.length <= (MOST[task] ?? 1))
    const page = await openProfile(view.url, { permissions: ['clipboard-write'] }),
      whole = await windowOf(page),
      saved = /file/.test(task) ? page.waitForEvent('download') : null
    for (const act of acts) await act(page)
    await seen(page, whole, saved)
  })
