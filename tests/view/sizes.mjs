// SPDX-License-Identifier: Apache-2.0
// Each state of the page at each size, down to 320 pixels and a screen that is shown at 200 %: nothing is cut, covered
// or too small, and the page has no bar to scroll across. By day and by night axe finds nothing in any.
import assert from 'node:assert/strict'
import {
  AGAIN,
  OF_COLOURS,
  SYNTHETIC,
  ask,
  axeOf,
  drawn,
  openProfile,
  openTab,
  put,
  rest,
  suite,
  until,
} from './harness.mjs'
import { looksOf } from './looks.mjs'
import { SIZES, STATES, TABS, come, settle } from './states.mjs'
import { SOURCES, torchTrace } from './torch.mjs'

for (const [name, text] of Object.entries(SOURCES)) put('sized/' + name, text)
/** Looks at all of everything, as the campaign does. */
const ALL = process.env.NPROF_TEST_ALL === '1'
/** A screen, and one column; the narrowest is looked at anyway. */
const SOME = [
  [1440, 900],
  [600, 800],
]
const view = suite(() => [put('sizes.pt.trace.json', torchTrace(4, 20))], 'sizes')

view.test(
  'T59 axe finds nothing of any weight in each state, by day and by night, and each holds at each size',
  async () => {
    const page = await openProfile(view.url, { brief: true }),
      found = []
    for (const [name, act] of STATES) {
      await come(page, act)
      // What is around a tab is as in the states before.
      const within = TABS.includes(name) && !ALL ? '.widget:not(.lm-mod-hidden)' : 'html'
      for (const colorScheme of ['dark', 'light']) {
        await page.emulateMedia({ colorScheme })
        await settle(page)
        const rules = colorScheme === 'dark' ? OF_COLOURS : undefined
        found.push(
          ...(await axeOf(page, within, rules)).map(one => `${name}, ${colorScheme}: ${one}`),
        )
      }
      for (const [width, height] of [...(ALL ? SIZES : SOME), [320, 640]]) {
        await page.setViewportSize({ width, height })
        await drawn(page)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        // The lanes have room, also where the page scrolls to it.
        const lanes = await page.locator('.timeline .over').boundingBox()
        if (lanes.height < 120)
          found.push(`${name}, ${width} x ${height}: lanes of ${lanes.height}`)
        found.push(
          ...[...(wide > 0 ? ['scrolls across by ' + wide] : []), ...(await looksOf(page))].map(
            one => `${name}, ${width} x ${height}: ${one}`,
          ),
        )
      }
      await page.setViewportSize({ width: 1440, height: 900 })
    }
    assert.deepEqual(found, [])
  },
)

view.test('a window that becomes narrow, as at 200 %, has what to do above the lanes', async () => {
  const page = await openProfile(view.url, { brief: true }),
    details = page.locator('.widget-details'),
    lanes = page.locator('.timeline .over')
  await openTab(page, 'Gaps')
  const wide = await details.boundingBox()
  await page.setViewportSize({ width: 720, height: 450 })
  await until('it to stand above', async () => (await details.boundingBox()).width > 600)
  const [above, below] = [await details.boundingBox(), await lanes.boundingBox()]
  assert.ok(above.y + above.height <= below.y, 'the lanes are below')
  assert.equal(await page.locator('.lm-mod-current', { hasText: 'Gaps' }).count(), 1)
  // A link that was made beside a wide window opens so, too.
  await until('the address', () => page.url().includes('gaps'))
  const again = await openProfile(page.url(), { viewport: { width: 720, height: 450 } })
  assert.ok((await again.locator('.widget-details').boundingBox()).width > 600)
  await page.setViewportSize({ width: 1440, height: 900 })
  await until('it to stand beside', async () => (await details.boundingBox()).x > 1000)
  assert.deepEqual(await details.boundingBox(), wide)
  // Sizes that people gave parts in a wide window come again with it.
  const { x, y, width } = await page
    .locator('.lm-DockPanel-handle[data-orientation=horizontal]:not(.lm-mod-hidden)')
    .first()
    .boundingBox()
  await page.mouse.move(x + width / 2, y + 200)
  await page.mouse.down()
  await page.mouse.move(x - 200, y + 200, { steps: 4 })
  await page.mouse.up()
  const sized = await details.boundingBox()
  assert.ok(sized.width > wide.width + 150, `${sized.width} after ${wide.width}`)
  await page.setViewportSize({ width: 720, height: 450 })
  await until('it to stand above', async () => (await details.boundingBox()).x < 100)
  await page.setViewportSize({ width: 1440, height: 900 })
  await until('it to stand beside', async () => (await details.boundingBox()).x > 700)
  const near = (a, b) =>
    assert.ok(
      ['x', 'y', 'width', 'height'].every(side => Math.abs(a[side] - b[side]) <= 1),
      JSON.stringify([a, b]),
    )
  near(await details.boundingBox(), sized)
  // What was opened narrow is in a wide window as what is opened there.
  const tabs = again.locator('.widget-gaps')
  await again.setViewportSize({ width: 1440, height: 900 })
  await until('it to stand beside', async () => {
    const box = await again.locator('.widget-details').boundingBox()
    return box.x > 1000
  })
  const fresh = await openProfile(again.url())
  // Each has its tab in front before it is measured.
  for (const one of [tabs, fresh.locator('.widget-gaps')]) await one.waitFor()
  near(await tabs.boundingBox(), await fresh.locator('.widget-gaps').boundingBox())
})

view.test(
  'a small window opens with the verdict in sight, and ⋯ has Compare and Share',
  async () => {
    for (const [width, height] of [
      [900, 560],
      [720, 450],
      [600, 800],
      [320, 640],
    ]) {
      const page = await openProfile(view.url, { viewport: { width, height }, ...AGAIN })
      await rest(page)
      const [scrolled, lowest, verdict] = await page.evaluate(() => [
        document.querySelector('.profile-page').scrollTop,
        Math.max(
          ...[...document.querySelectorAll('.top > *')].map(
            one => one.getBoundingClientRect().bottom,
          ),
        ),
        document.querySelector('.verdict').getBoundingClientRect().top,
      ])
      assert.equal(scrolled, 0, width + ' x ' + height)
      assert.ok(lowest <= verdict, `the bar ends at ${lowest}, the verdict begins at ${verdict}`)
      await page.getByRole('button', { name: 'More', exact: true }).click()
      const items = await page.locator('#menu-more [role=menuitem] span').allTextContents()
      assert.deepEqual(items.slice(0, 3), [
        'Compare with another profile',
        'Copy the link to what is seen',
        'Save the page as one file',
      ])
    }
  },
)

view.test('Steps has room for its bars and its table beside each other', async () => {
  // Names as those of PyTorch, which calls the process of a GPU by the program.
  const trace = torchTrace(12, 20)
  trace.traceEvents.push(
    { ph: 'M', name: 'process_name', pid: 0, tid: 0, args: { name: 'python' } },
    { ph: 'M', name: 'process_labels', pid: 0, tid: 0, args: { labels: 'GPU 0' } },
  )
  const page = await openProfile(await view.add(put('named.pt.trace.json', trace)))
  await openTab(page, 'Steps')
  await page.locator('.widget-steps td', { hasText: 'python (GPU 0)' }).first().waitFor()
  // Parts are called as in the bar of the verdict, but for causes of gaps that hold several.
  const parts = (await page.locator('.part-names button').allTextContents()).map(
    one => /^(.*?) [\d.]/.exec(one.replace(/\s+/g, ' ').trim())[1],
  )
  const keys = (await page.locator('.widget-steps .key').allTextContents()).map(one => one.trim())
  assert.ok(keys.includes('not launched yet'), keys.join())
  for (const part of parts.map(one => one.replace('Idle: ', '')))
    if (!['other causes', 'late launches', 'launch latency'].includes(part))
      assert.ok(keys.includes(part), part)
  for (const width of [1024, 1280, 1440]) {
    await page.setViewportSize({ width, height: 700 })
    await drawn(page)
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('.widget-steps :is(.grid-box, .chart-scroll)')]
        .filter(one => one.scrollWidth > one.clientWidth)
        .map(one => `${one.className} ${one.scrollWidth} of ${one.clientWidth}`),
    )
    assert.deepEqual(cut, [], String(width))
  }
})

view.test('bars of steps of several devices fit the part of Steps that is theirs', async () => {
  const page = await openProfile(await view.add(SYNTHETIC))
  await openTab(page, 'Steps')
  const bars = page.locator('.widget-steps .bar-group')
  await bars.first().waitFor()
  assert.ok((await bars.count()) >= 8)
  for (const width of [800, 1024, 1200, 1280, 1360, 1440]) {
    await page.setViewportSize({ width, height: 700 })
    await drawn(page)
    const [needs, has] = await page
      .locator('.widget-steps .chart-scroll')
      .evaluate(one => [one.scrollWidth, one.clientWidth])
    assert.ok(needs <= has, needs + ' of ' + has + ' at ' + width)
  }
})

view.test('a big number and its unit stay on one line, however narrow the panel is', async () => {
  const page = await openProfile(view.url)
  const lines = selector =>
    page.locator(selector).evaluateAll(all =>
      all.map(one => {
        one.parentElement.style.width = '20px'
        const text = document.createRange()
        text.selectNodeContents(one)
        return new Set([...text.getClientRects()].map(line => line.top)).size
      }),
    )
  await page.locator('.advice .stake b').first().waitFor()
  assert.deepEqual(new Set(await lines('.advice .stake b')), new Set([1]))
  await ask(page, 'slowest')
  await page.locator('.big-figures b').first().waitFor()
  assert.deepEqual(new Set(await lines('.big-figures b')), new Set([1]))
})
