// SPDX-License-Identifier: Apache-2.0
// Two profiles beside each other (test 44 of the list), each built-in layout, and what they say to axe.
import assert from 'node:assert/strict'
import { LAYOUTS, LOOKS, SYNTHETIC, layout, made, nprof, open, openProfile, sample, seriousOf, shot, suite, until } from './harness.mjs'
import { looksOf } from './looks.mjs'

const view = suite([SYNTHETIC])

view.test('T44 two profiles have one window and the verdicts of nprof diff: the operator of mark_step is removed', async () => {
  const files = [['stepped.xplane.pb', 'mark-step'], ['traced.xplane.pb', 'simple']].map(([name, kind]) => made(name, 'view/fixtures.py', kind))
  const [base, next] = (await Promise.all(files.map(file => view.add(file)))).map(url => url.split('/').pop())
  const page = await open(view.server.base + '/compare?a=' + base + '&b=' + next)
  await page.locator('.compare-lane .row').first().waitFor()
  assert.equal(await page.locator('.compare-lane').count(), 2)
  await page.locator('.diff .grid tbody tr').first().waitFor()
  const { devices: [printed] } = JSON.parse(await nprof('diff', '-q', '--format', 'json', ...files))
  const shown = await page.locator('.diff .grid tbody tr').evaluateAll(rows => rows.map(row => Object.fromEntries([...row.cells].map(cell => [cell.dataset.column, (cell.querySelector('span[title]')?.title || cell.textContent).trim()]))))
  assert.deepEqual(shown.map(row => row.operator).sort(), printed.kernels.map(one => one.name).sort())
  for (const one of printed.kernels) {
    const row = shown.find(other => other.operator === one.name)
    assert.ok(row.verdict.endsWith(one.verdict), row.verdict + ' is not ' + one.verdict)
    assert.equal(Number(row.share), one.share)
  }
  assert.equal(shown.find(row => row.operator === 'SyncTensorsGraph.53').verdict, '− removed')
  const windows = () => page.locator('.overview').evaluateAll(all => all.map(one => one.getAttribute('aria-valuetext')))
  const old = await windows()
  await page.keyboard.press('w')
  await until('both windows', async () => { const now = await windows(); return now[0] !== old[0] && now[1] !== old[1] })
  // Heads sort, and the address has what is seen.
  const grid = page.getByRole('grid', { name: 'Differences' }), shares = printed.kernels.map(one => one.share).filter(share => share !== null).sort((a, b) => b - a)
  for (const wanted of [shares, [...shares].reverse()]) {
    await grid.getByRole('columnheader', { name: 'share' }).getByRole('button').click()
    await until('the order', async () => String(await grid.locator('td[data-column=share] span:not(.unknown)').evaluateAll(all => all.map(one => Number(one.title)))) === String(wanted))
  }
  await page.getByLabel('changed only').check()
  await page.getByLabel('Rows by').selectOption('operator')
  await until('the address', () => /changed=yes/.test(page.url()) && /by=operator/.test(page.url()) && /[?&]t=/.test(page.url()))
  const zoomed = await windows()
  await page.reload()
  await page.locator('.compare-lane .row').first().waitFor()
  await until('both windows again', async () => String(await windows()) === String(zoomed))
  assert.deepEqual([await page.getByLabel('changed only').isChecked(), await page.getByLabel('Rows by').inputValue()], [true, 'operator'])
  await shot(page, 'compare')
})

// Each size and each set of colours once: contrasts are those of the colours, what is cut or covered is so by the size.
for (const look of [LOOKS[1], LOOKS[2]]) {
  const name = look.colorScheme + ' ' + look.viewport.width
  view.test('no built-in layout cuts a text, covers one or has an empty widget, and axe finds nothing serious in any: ' + name, async () => {
    const page = await openProfile(view.url, look)
    for (const one of LAYOUTS) {
      await layout(page, one)
      assert.deepEqual([...await looksOf(page), ...await seriousOf(page, '.widget:not(.lm-mod-hidden)')], [], one)
      await shot(page, 'layout-' + one + ' ' + name)
    }
  })
}

view.test('a trace of a CPU alone opens with every card unknown and its reason', async () => {
  const page = await openProfile(await view.add(sample('node-workload.trace.json')))
  for (const card of await page.locator('.card').all()) assert.match(await card.textContent(), /unknown: \S+ \S+|\d/)
})
