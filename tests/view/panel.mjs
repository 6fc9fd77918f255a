// SPDX-License-Identifier: Apache-2.0
// The right panel: what it says of an event besides its own row, with numbers straight from the trace; it is never empty.
import assert from 'node:assert/strict'
import {
  ask,
  SYNTHETIC,
  cellsOf,
  drag,
  drawn,
  fieldsOf,
  openProfile,
  put,
  rest,
  scopeOf,
  scopeTo,
  scrollTo,
  suite,
  table,
  until,
  windowOf,
} from './harness.mjs'
import { SLOWEST, torchTrace } from './torch.mjs'

/** A time of a trace as the page has it: three digits of it, halves away from zero. */
const figure = us =>
  us < 1000
    ? (us * (1 + 1e-9)).toPrecision(3) + ' us'
    : ((us / 1000) * (1 + 1e-9)).toPrecision(3) + ' ms'

const view = suite(() => [put('panel.pt.trace.json', torchTrace(4, 20))], 'panel')
const panel = page => page.locator('.widget-details'),
  section = (page, title) =>
    panel(page).evaluate((all, wanted) => {
      const head = [...all.querySelectorAll('h3')].find(one => wanted === one.textContent)
      return head?.nextElementSibling?.innerText.replace(/\s+/g, ' ').trim() ?? ''
    }, title)

view.test(
  'an event says what launched it and who called that, what is beside it, and its place among its name',
  async () => {
    const { traceEvents } = torchTrace(4, 20),
      own = traceEvents
        .filter(one => one.name === SLOWEST && one.cat === 'kernel')
        .sort((a, b) => a.dur - b.dur),
      slowest = own.at(-1),
      launch = traceEvents.find(
        one => one.name === 'cudaLaunchKernel' && one.args.correlation === slowest.args.correlation,
      ),
      before = traceEvents
        .filter(one => one.tid === 7 && one.ts < slowest.ts)
        .reduce((last, one) => (one.ts > last.ts ? one : last)),
      page = await openProfile(view.url)
    await ask(page, 'slowest ' + SLOWEST)
    await until('its launch', async () => /cudaLaunch/.test(await section(page, 'Launch')))
    assert.match(
      await panel(page).locator('.big-figures').innerText(),
      new RegExp('^' + figure(slowest.dur) + '\\s+duration'),
    )
    const fields = await fieldsOf(page)
    const away = figure(slowest.ts - launch.ts)
    assert.ok(fields.call.startsWith('cudaLaunchKernel, '), fields.call)
    assert.ok(fields.call.endsWith(away + ' before'), fields.call + ' is not ' + away)
    assert.match(fields['called by'], new RegExp('^aten::' + SLOWEST + ', .* on the CPU$'))
    assert.match(await section(page, 'Called from'), new RegExp('^aten::' + SLOWEST))
    const between = figure(slowest.ts - before.ts - before.dur)
    await until('its neighbours', async () =>
      (await section(page, 'Beside it')).startsWith('before it ' + before.name),
    )
    assert.ok((await fieldsOf(page))['before it'].includes(between + ' between'))
    assert.equal((await fieldsOf(page))['after it'] !== '', true)
    await panel(page)
      .locator('h3', { hasText: `All ${own.length} of this name` })
      .waitFor()
    const named = await fieldsOf(page)
    assert.equal(named['this one'], 'the longest of ' + own.length + ' of this name')
    const median = own[Math.floor((own.length - 1) / 2)].dur
    assert.ok(named.median === figure(median), named.median + ', ' + median)
    assert.equal(
      await panel(page)
        .locator('.spread i')
        .evaluateAll(all => all.findIndex(one => one.classList.contains('own')) === all.length - 1),
      true,
    )
    // Each of these leads to its row.
    await panel(page).getByRole('link', { name: 'cudaLaunchKernel', exact: true }).first().click()
    await panel(page).locator('.event-name', { hasText: 'cudaLaunchKernel' }).waitFor()
    await until('who called it', async () =>
      (await section(page, 'Called from')).startsWith('aten::' + SLOWEST),
    )
  },
)

view.test('work without a launch says so, and a name that is there once too', async () => {
  const page = await openProfile(view.url)
  await ask(page, 'slowest ncclDev')
  await panel(page).getByText('The file does not say what launched it.').waitFor()
  await panel(page).locator('h3', { hasText: 'All 4 of this name' }).waitFor()
})

/** The parts of an area: their titles. */
const partsOf = page =>
  panel(page)
    .locator('.part-bar .part')
    .evaluateAll(all => all.map(one => one.title))

view.test(
  'an area of some tracks of a device says what these did, in parts that add up',
  async () => {
    const page = await openProfile(view.url)
    await ask(page, 'slowest ' + SLOWEST)
    await panel(page).locator('.event-name', { hasText: SLOWEST }).waitFor()
    await page.keyboard.press('r')
    await panel(page).locator('h3', { hasText: 'What the track did' }).waitFor()
    assert.deepEqual(await partsOf(page), ['Compute: 700,000 ns'])
  },
)

view.test(
  'with more rows than are counted at once the panel says so, and counts when it is asked to',
  async () => {
    const page = await openProfile(view.url, {
      before: one =>
        one.route('**/meta*', async route => {
          const answer = await route.fetch()
          await route.fulfill({
            response: answer,
            json: { ...(await answer.json()), rows: 3000000 },
          })
        }),
    })
    await ask(page, 'name="ProfilerStep#1" kind=span')
    await panel(page).locator('.event-name', { hasText: 'ProfilerStep' }).waitFor()
    await page.keyboard.press('r')
    await panel(page)
      .getByText(/unknown: analyzers read all 3,000,000 rows/)
      .waitFor()
    assert.equal(await panel(page).locator('.part-bar').count(), 0)
    await panel(page).getByRole('button', { name: 'Work it out' }).click()
    await panel(page).locator('.part-bar').waitFor()
  },
)

/** Kernels of 100 us, one a millisecond, each launched right before it: gaps of one cause between them. */
const late = kernels => ({
  deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
  traceEvents: Array.from({ length: kernels }, (_, i) => [
    {
      ph: 'X',
      cat: 'cuda_runtime',
      name: 'cudaLaunchKernel',
      pid: 9,
      tid: 1,
      ts: i * 1000 + 10,
      dur: 5,
      args: { correlation: i + 1 },
    },
    {
      ph: 'X',
      cat: 'kernel',
      name: 'kernel_' + i,
      pid: 0,
      tid: 7,
      ts: i * 1000 + 20,
      dur: 100,
      args: { device: 0, stream: 7, correlation: i + 1 },
    },
    { ph: 'X', cat: 'cpu_op', name: 'load_batch', pid: 9, tid: 1, ts: i * 1000 + 150, dur: 800 },
  ]).flat(),
})

view.test('a gap says how many more are like it, and leads to all of its cause', async () => {
  const file = put('late.pt.trace.json', late(10)),
    page = await openProfile(await view.add(file))
  await ask(page, 'gap')
  const more = panel(page).getByRole('button', { name: / more of this cause$/ })
  await more.waitFor()
  assert.match(await panel(page).locator('h2').innerText(), /^Idle: not launched yet \d/)
  const cause = 'host',
    left = parseInt(await more.innerText()),
    listed = await panel(page).getByRole('button', { name: /^at / }).count()
  const alike = (await table('gaps', file)).filter(
    row => row.cause === cause && row.start_ns !== null,
  )
  assert.equal(left + listed + 1, alike.length)
  await more.click()
  const widget = page.locator('.widget-gaps')
  await until(
    'all of the cause',
    async () => (await widget.getByLabel('Cause').inputValue()) === cause,
  )
})

view.test(
  'findings and figures say that they are of the whole run where tables are of a part',
  async () => {
    const page = await openProfile(view.url),
      heads = () => panel(page).locator('.advice-box h2').allTextContents()
    assert.ok((await heads()).includes('Figures'))
    await scopeTo(page, 'window')
    await until('of what they are', async () =>
      (await heads()).includes('Figures of the whole run'),
    )
    assert.ok(
      (await heads()).every(text => / of the whole run$/.test(text)),
      String(await heads()),
    )
  },
)

view.test('rates of an event have units of rates', async () => {
  const page = await openProfile(await view.add(SYNTHETIC))
  await ask(page, 'slowest fusion.15')
  await panel(page).locator('.event-name', { hasText: 'fusion.15' }).waitFor()
  assert.match(
    await panel(page).locator('.big-figures').innerText(),
    /us\s+duration\s+\d+ TFLOP\/s\s+of flops it states\s+\d+ GB\/s\s+of bytes it states/,
  )
})

/** Whether the edges of the tabs are shaded, left and right: what is in sight there is not what is at the middle. */
async function shaded(page, tabs) {
  const { x, y, width } = await tabs.boundingBox(),
    at = left => page.screenshot({ clip: { x: left, y: y + 1, width: 4, height: 3 } }),
    middle = await at(x + Math.round(width / 2))
  return Promise.all([at(x + 1), at(x + width - 5)].map(async one => !middle.equals(await one)))
}

view.test(
  'a narrow window loses nothing: the page does not scroll, and a shade tells of more tabs',
  async () => {
    const page = await openProfile(view.url, { viewport: { width: 600, height: 800 } }),
      tabs = page.locator('.lm-TabBar-content', { hasText: 'Operators' })
    // What to do stands above the lanes, and each has room: the page scrolls down to it, and never aside.
    const boxOf = selector => page.locator(selector).first().boundingBox(),
      [advice, lanes] = [await boxOf('.advice-box'), await boxOf('.timeline')]
    assert.ok(
      advice.y + 200 < lanes.y && lanes.height > 200 && advice.width > 500,
      JSON.stringify([advice, lanes]),
    )
    await scrollTo(tabs)
    await tabs.evaluate(one => (one.scrollLeft = 0))
    assert.deepEqual(await shaded(page, tabs), [false, true])
    await tabs.evaluate(one => (one.scrollLeft = one.scrollWidth))
    assert.deepEqual(await shaded(page, tabs), [true, false])
    for (const [width, height] of [
      [600, 800],
      [720, 450],
      [320, 640],
    ]) {
      await page.setViewportSize({ width, height })
      await drawn(page)
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
    }
    await page.setViewportSize({ width: 1600, height: 900 })
    await drawn(page)
    assert.deepEqual(await shaded(page, tabs), [false, false])
  },
)

view.test('what could not be answered is a sentence and a button, which asks again', async () => {
  const page = await openProfile(view.url, {}),
    broken = /\/(e|gaps)\?/
  await ask(page, 'slowest ncclDev')
  await panel(page).locator('.event-name', { hasText: 'ncclDev' }).waitFor()
  await page.route(broken, route =>
    route.fulfill({
      status: 422,
      contentType: 'application/json',
      body: JSON.stringify({
        error: { text: 'the store is damaged', at: null, mend: 'Read it again.' },
      }),
    }),
  )
  await ask(page, 'slowest ' + SLOWEST)
  const failed = panel(page).locator('.failed')
  await failed.getByText('The store is damaged. Read it again.', { exact: true }).waitFor()
  await ask(page, '>show gaps')
  const gaps = page.locator('.widget-gaps')
  await gaps.locator('.failed', { hasText: 'the store is damaged' }).waitFor()
  await page.unroute(broken)
  await panel(page).getByRole('button', { name: 'Ask again' }).click()
  await panel(page).locator('.event-name', { hasText: SLOWEST }).waitFor()
  await gaps.getByRole('button', { name: 'Ask again' }).click()
  await gaps.locator('tbody tr').first().waitFor()
})

view.test('a window without rows is a sentence and a button to the whole run', async () => {
  const page = await openProfile(view.url),
    operators = page.locator('.widget-operators')
  await ask(page, '@9.95ms 9.99ms')
  await operators.getByText('No work of a device lies in this part of the run.').waitFor()
  await ask(page, '>show selection')
  await page
    .locator('.widget-selection')
    .getByText('No span lies in this part of the run.')
    .waitFor()
  await page
    .locator('.widget-selection')
    .getByRole('button', { name: 'Look at the whole run' })
    .click()
  await until('the whole run', async () => (await scopeOf(page)) === 'whole')
  await page.locator('.widget-selection .grid tbody tr').first().waitFor()
  // Of an idle gap, too, which begins where a kernel ends.
  await ask(page, '>show operators')
  await ask(page, 'gap')
  await until('the gap', async () => (await scopeOf(page)) === 'selection')
  await operators.getByText('No work of a device lies in this part of the run.').waitFor()
})

view.test('a store that is damaged below the lanes is a sentence and a button', async () => {
  const page = await openProfile(view.url, {}),
    again = []
  await page.route(/\/v\?/, route =>
    route.fulfill({
      status: 422,
      contentType: 'application/json',
      body: JSON.stringify({
        error: { text: 'place 3 is damaged', at: null, mend: 'read it again' },
      }),
    }),
  )
  await page.route(/\/again$/, route => {
    again.push(route.request().postDataJSON())
    return route.fulfill({ status: 200, contentType: 'application/json', body: '{}' })
  })
  await ask(page, '@1ms 2ms')
  const said = page.locator('.banner.failed')
  await said.getByText('Place 3 is damaged. Read it again.', { exact: false }).waitFor()
  await said.getByRole('button', { name: 'Read it again' }).click()
  await until('that it is asked for', () => again.length)
  assert.deepEqual(again, [{ keep_going: false, force: true }])
})

/** Calls of each kernel that lie in a range of times at least in part, straight from the trace. */
function callsIn({ t0, t1 }) {
  const events = torchTrace(4, 20).traceEvents.filter(one => one.ts !== undefined),
    first = Math.min(...events.map(one => one.ts)),
    ps = us => BigInt(Math.round(us * 1e6)),
    calls = {}
  for (const { cat, name, ts, dur } of events)
    if (cat === 'kernel' && ps(ts - first) < t1 && ps(ts - first + dur) > t0)
      calls[name] = (calls[name] ?? 0) + 1
  return calls
}

view.test(
  'tables follow the selection, else the window; a pin keeps them, a cross takes away what narrows',
  async () => {
    const page = await openProfile(view.url),
      grid = page.locator('.widget-operators .grid').first(),
      chip = page.locator('.scope-chip'),
      cross = name => chip.getByRole('button', { name, exact: true }),
      pin = cross('Pin the scope'),
      over = await page.locator('.timeline .over').boundingBox()
    const shown = async () => {
      const counts = await cellsOf(grid, 'calls')
      return Object.fromEntries(
        (await cellsOf(grid, 'operator')).map((name, i) => [name.trim(), Number(counts[i])]),
      )
    }
    const sorted = calls => JSON.stringify(Object.entries(calls).sort())
    const areOf = range =>
      until('calls of the scope', async () => sorted(await shown()) === sorted(callsIn(range)))
    const whole = await windowOf(page)
    await areOf(whole)
    assert.equal(await chip.locator('.quiet').count(), 0)
    await ask(page, '@11.3ms 14.2ms')
    const window = await windowOf(page)
    await areOf(window)
    assert.equal(await scopeOf(page), 'window')
    // A selection goes before it.
    await drag(
      page,
      { x: over.x + over.width * 0.2, y: over.y + 30 },
      { x: over.x + over.width * 0.5, y: over.y + 60 },
      { keys: ['Shift'] },
    )
    await panel(page).getByRole('heading', { name: 'Area' }).waitFor()
    assert.equal(await scopeOf(page), 'selection')
    await until('calls of less', async () => sorted(await shown()) !== sorted(callsIn(window)))
    const selected = sorted(await shown())
    // The pin keeps that, whatever is selected or zoomed to, in the address, too.
    await pin.click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('0')
    await until('all in sight', async () => (await windowOf(page)).t1 === whole.t1)
    await rest(page)
    assert.equal(await scopeOf(page), 'pinned')
    assert.equal(sorted(await shown()), selected)
    await until(
      'the address',
      () => /[?&]s=[\d.]+@/.test(decodeURIComponent(page.url())) && !/[?&]t=/.test(page.url()),
    )
    await page.reload()
    await until('the same calls', async () => sorted(await shown()) === selected)
    await cross('Let the scope follow again').click()
    await areOf(whole)
    // Each cross takes away what narrows now.
    await ask(page, '@11.3ms 14.2ms')
    await ask(page, 'gap')
    await cross('Let go of the selection').click()
    await until('no selection', async () => (await scopeOf(page)) === 'window')
    await cross('Show the whole run').click()
    await areOf(whole)
    assert.equal(await scopeOf(page), 'whole')
  },
)

view.test('lists of places stay whole while people choose in them, and say so', async () => {
  const page = await openProfile(view.url),
    steps = page.locator('.widget-steps')
  await ask(page, '>show steps')
  const rows = steps.locator('.grid tbody tr')
  await until('all steps', async () => (await rows.count()) === 4)
  await rows.nth(1).click()
  await until('the step', async () => (await scopeOf(page)) === 'selection')
  await rest(page)
  assert.equal(await rows.count(), 4)
  assert.match(await steps.locator('.bar').innerText(), /of the whole run; v keeps it to a part/)
  await page.locator('.timeline .over').focus()
  await page.keyboard.press('v')
  await until('that step alone', async () => (await rows.count()) === 1)
})
