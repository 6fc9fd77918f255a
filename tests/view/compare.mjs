// SPDX-License-Identifier: Apache-2.0
// Two profiles beside each other (test 44 of the list), each built-in layout, and what they say to axe.
import assert from 'node:assert/strict'
import { LAYOUTS, SYNTHETIC, axeSource, nprof, open, openProfile, put, sample, shot, suite, until } from './harness.mjs'
import { looksOf } from './looks.mjs'

const view = suite([SYNTHETIC])

view.test('T44 two profiles have one window and the verdicts of nprof diff', async () => {
  const slower = put('slower.json', { traceEvents: Array.from({ length: 40 }, (_, i) => ({ ph: 'X', cat: 'kernel', pid: 0, tid: 7, ts: i * 30, dur: i % 2 ? 20 : 8, name: i % 2 ? 'gemm' : 'norm', args: { device: 0, stream: 7 } })) })
  const [base, next] = [view.url, await view.add(slower)].map(url => url.split('/').pop())
  const page = await open(view.server.base + '/compare?a=' + base + '&b=' + next)
  await page.locator('.compare-lane .row').first().waitFor()
  assert.equal(await page.locator('.compare-lane').count(), 2)
  await page.locator('.diff .grid tbody tr').first().waitFor()
  const printed = await nprof('diff', SYNTHETIC, slower).catch(error => error.stdout)
  assert.match(await page.locator('.diff').textContent(), /removed|added/)
  assert.match(printed, /removed|added/)
  const windows = () => page.locator('.overview').evaluateAll(all => all.map(one => one.getAttribute('aria-valuetext')))
  const old = await windows()
  await page.keyboard.press('w')
  await until('both windows', async () => { const now = await windows(); return now[0] !== old[0] && now[1] !== old[1] })
  await shot(page, 'compare')
})

view.test('no built-in layout cuts a text, covers one or has an empty widget, and axe finds nothing serious in any', async () => {
  const page = await openProfile(view.url, { viewport: { width: 1024, height: 700 } })
  await page.evaluate(axeSource() + ';0')
  for (const layout of LAYOUTS) {
    await page.getByLabel('Layout').selectOption(layout)
    await until('answers of ' + layout, async () => await page.locator('.widget [aria-busy]').count() === 0)
    assert.deepEqual(await looksOf(page), [], layout)
    const found = await page.evaluate(() => globalThis.axe.run('.widget:not(.lm-mod-hidden)', { resultTypes: ['violations'] }).then(result => result.violations.filter(one => /serious|critical/.test(one.impact)).map(one => one.id + ': ' + one.nodes.slice(0, 2).map(node => node.html.slice(0, 160)).join(' | '))))
    assert.deepEqual(found, [], layout)
    await shot(page, 'layout-' + layout)
  }
})

view.test('a trace of a CPU alone opens with every card unknown and its reason', async () => {
  const page = await openProfile(await view.add(sample('node-workload.trace.json')))
  for (const card of await page.locator('.card').all()) assert.match(await card.textContent(), /unknown\s+\S+ \S+|\d/)
})
