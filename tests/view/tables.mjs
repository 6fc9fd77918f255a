// SPDX-License-Identifier: Apache-2.0
// Widgets over tables, and the way from a number to the event and its line (tests 39, 40, 42, 45, 52, 53, 55 of the list).
import assert from 'node:assert/strict'
import { SYNTHETIC, fieldsOf, nprof, openProfile, psOf, spansOf, suite, table, until, windowOf } from './harness.mjs'

const view = suite([SYNTHETIC])
const openTab = (page, name) => page.getByRole('tab', { name, exact: true }).click()
const cells = (grid, column) => grid.locator(`td[data-column=${column}]`).allTextContents()
const said = page => page.locator('[data-say]').textContent()

view.test('T40 operators: each header sorts, Time % down shows the largest first', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('3')
  const grid = page.getByRole('grid', { name: 'Operators', exact: true })
  await grid.locator('tbody tr').first().waitFor()
  const expected = (await table('operators', SYNTHETIC)).filter(row => row.level === 'framework')
  assert.equal(await grid.locator('tbody tr').count(), expected.length)
  await grid.getByRole('button', { name: /Time %/ }).click()
  const shares = (await cells(grid, 'share')).map(text => Number.parseFloat(text))
  assert.deepEqual(shares, [...shares].sort((a, b) => b - a))
  assert.equal(shares[0], Number((Math.max(...expected.map(row => row.share)) * 100).toFixed(1)))
  for (const header of await grid.getByRole('columnheader').getByRole('button').all()) {
    await header.click()
    assert.notEqual(await header.locator('xpath=..').getAttribute('aria-sort'), 'none')
  }
})

view.test('T39 MFU and bytes of operators are those of the report; the filter keeps what fits', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('4')
  const grid = page.getByRole('grid', { name: 'Operators', exact: true })
  await grid.locator('tbody tr').first().waitFor()
  await page.getByLabel('Filter operators').fill('fusion.15')
  await until('one operator', async () => (await cells(grid, 'operator')).every(name => name.includes('fusion.15')))
  const row = (await table('operators', SYNTHETIC)).find(one => one.level === 'hlo' && one.operator === 'fusion.15')
  const title = await grid.locator('tr', { hasText: row.device }).locator('td[data-column=mfu] span').getAttribute('title')
  assert.equal(Number(title), row.mfu)
})

view.test('T39 rows unfold, and their children sum up to them', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('3')
  const grid = page.getByRole('grid', { name: 'Operators', exact: true })
  const fold = grid.getByRole('button', { name: /^Unfold/ }).first()
  await fold.click()
  await grid.locator('tr.child').first().waitFor()
  const exact = row => row.locator('td[data-column=total_ns] span').getAttribute('title').then(text => psOf(text.replace(' ns', '')))
  const children = await Promise.all((await grid.locator('tr.child').all()).map(exact))
  // The table takes the device's own clock where the file has it: less than 1 ns a call from the spans.
  const away = children.reduce((sum, one) => sum + one, 0n) - await exact(grid.locator('tbody tr').first())
  assert.ok(away < 24000n && away > -24000n, away + ' ps')
})

view.test('T42 T53 a gap says its cause; a click selects and zooms to it', async () => {
  const page = await openProfile(view.url)
  await openTab(page, 'Gaps')
  const grid = page.getByRole('grid', { name: 'Gaps' })
  await grid.locator('tbody tr').first().waitFor()
  const longest = (await table('gaps', SYNTHETIC)).reduce((most, gap) => (Number(gap.duration_ps) > Number(most.duration_ps) ? gap : most))
  assert.equal((await cells(grid, 'cause'))[0].trim(), longest.cause)
  await grid.locator('tbody tr').first().click()
  const { t0, t1 } = await until('the zoom', async () => { const now = await windowOf(page); return now.t1 - now.t0 < 5000000000n && now })
  const start = BigInt(longest.start_ps)
  assert.ok(t0 < start && t1 > start + BigInt(longest.duration_ps))
  assert.match(await said(page), /selected/)
})

view.test('T53 steps: a bar selects its step, also by keyboard', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('9')
  const bar = page.locator('.bar-group').nth(2)
  await bar.focus()
  await page.keyboard.press('Enter')
  const step = (await table('steps', SYNTHETIC))[2]
  const { t0, t1 } = await until('the zoom', async () => { const now = await windowOf(page); return now.t1 - now.t0 < 10000000000n && now })
  assert.ok(t0 <= BigInt(step.start_ps) && t1 >= BigInt(step.start_ps) + BigInt(step.duration_ps))
  await page.locator('.widget-details', { hasText: 'Step ' + step.step }).waitFor()
})

view.test('T45 the buttons of Summary open their tables', async () => {
  const page = await openProfile(view.url)
  await openTab(page, 'Summary')
  await page.getByRole('button', { name: 'Framework layers' }).click()
  const grid = page.getByRole('grid', { name: 'Layers' })
  await grid.locator('tbody tr').first().waitFor()
  assert.equal(await grid.locator('tbody tr').count(), (await table('layers', SYNTHETIC)).length)
  assert.ok(await page.getByRole('button', { name: 'Input tensors' }).isDisabled())
})

view.test('T52 the slowest dot of latency is the event of p99.9, by mouse and by keyboard', async () => {
  const page = await openProfile(view.url), name = 'fusion.15'
  await openTab(page, 'Latency')
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Name', { exact: true }).press('Enter')
  const durations = (await spansOf(SYNTHETIC)).filter(span => span.name === name && span.thread === 'XLA Ops').map(span => span.duration).sort((a, b) => (a < b ? -1 : 1))
  const dots = page.locator('.widget-latency .dot')
  await dots.nth(durations.length - 1).waitFor({ state: 'attached' })
  assert.equal(await dots.count(), durations.length)
  const highest = await dots.evaluateAll(all => all.reduce((most, dot, i) => (Number(dot.getAttribute('cy')) < Number(all[most].getAttribute('cy')) ? i : most), 0))
  const isIt = async () => page.locator('.event-name').count().then(async there => there && psOf((await fieldsOf(page)).duration.split(' ')[0]) === durations.at(-1))
  await dots.nth(highest).click({ force: true }) // dots may cover each other
  await until('the slowest event', isIt)
  assert.match(await said(page), /selected fusion\.15/)
  await page.locator('.timeline .over').focus()
  await page.keyboard.press('Escape')
  await page.locator('.event-name').waitFor({ state: 'detached' })
  await dots.nth(highest).focus()
  await page.keyboard.press('Enter')
  await until('the slowest event again', isIt)
})

view.test('T53 a point of the roofline leads to its events', async () => {
  const page = await openProfile(view.url)
  await page.getByLabel('Layout').selectOption('Roofline')
  await page.locator('.widget-roofline .dot').first().focus()
  await page.keyboard.press('Enter')
  await page.locator('.event-name').waitFor()
})

view.test('T55 a demand says met or not, as nprof gate does', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('+')
  await page.getByRole('dialog').getByRole('button', { name: /^Gates/ }).click()
  const demands = ['mfu > 45%', 'mfu > 50.1%', 'step < 1ms', 'memory < 1GB']
  for (const demand of demands) {
    await page.getByLabel('Demand', { exact: true }).fill(demand)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
  }
  const printed = JSON.parse(await nprof('gate', '-q', '--format', 'json', SYNTHETIC, ...demands)), rows = page.getByRole('table', { name: 'Demands' }).locator('tr')
  for (const [i, demand] of demands.entries()) {
    // One of several devices that fails is what people must see.
    const own = printed.filter(one => one.demand === demand), worst = ['not met', 'undecided', 'met'].map(state => own.find(one => one.state === state)).find(Boolean)
    const shown = async () => (await rows.nth(i).locator('td').allTextContents()).map(text => text.trim())
    await until(demand, async () => /[a-z]/i.test((await shown())[0]))
    const [state, text, value, key] = await shown()
    assert.equal(text, demand)
    assert.ok(state.toLowerCase().endsWith(worst.state), state + ', printed: ' + worst.state)
    assert.equal(key, worst.key)
    if (worst.value.value === null) assert.match(value, /unknown/)
    else assert.equal(Number.parseFloat(value.replaceAll(',', '')), worst.value.value)
  }
  assert.deepEqual([...new Set(printed.map(one => one.state))].sort(), ['met', 'not met', 'undecided'])
})

view.test('the slowest operation of a step, why its device was idle before, and its line: in twelve acts', async () => {
  const page = await openProfile(view.url)
  let acts = 0
  const act = async run => { acts++; await run() }
  await act(() => openTab(page, 'Steps'))
  await act(() => page.locator('.bar-group').nth(2).click())
  await act(() => openTab(page, 'Selection'))
  await act(() => page.locator('.widget-selection').getByLabel('Scope').selectOption('selection'))
  const grid = page.getByRole('grid', { name: 'Statistics of the selection' })
  await act(() => page.locator('.widget-selection').getByLabel('Filter').fill('fusion'))
  await act(() => grid.getByRole('button', { name: 'max', exact: true }).click())
  await act(() => grid.locator('tbody tr td[data-column=max] button').first().click())
  await page.locator('.event-name', { hasText: 'fusion' }).waitFor()
  const fields = await fieldsOf(page)
  assert.ok(psOf(fields.duration.split(' ')[0]) > 0n)
  await page.locator('.widget-details').getByText(/Source model\.py:\d+/).waitFor()
  await act(() => openTab(page, 'Gaps'))
  await act(() => page.getByRole('grid', { name: 'Gaps' }).locator('tbody tr').first().click())
  assert.match(await page.getByRole('grid', { name: 'Gaps' }).locator('tbody tr').first().textContent(), /host/)
  assert.ok(acts <= 12)
})
