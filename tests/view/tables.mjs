// SPDX-License-Identifier: Apache-2.0
// Widgets over tables, and the way from a number to the event and its line (tests 39, 42, 45, 52, 53, 55 of the list).
import assert from 'node:assert/strict'
import fs from 'node:fs'
import {
  AGAIN,
  SYNTHETIC,
  ask,
  cellsAre,
  csvOf,
  drawn,
  fieldsOf,
  fieldsOfLine,
  halfOf,
  layout,
  made,
  nprof,
  openProfile,
  openTab,
  psOf,
  put,
  rest,
  scopeTo,
  shot,
  sortsByEach,
  spansOf,
  suite,
  table,
  until,
  windowOf,
} from './harness.mjs'
import { looksOf } from './looks.mjs'
import { torchTrace } from './torch.mjs'

const view = suite([SYNTHETIC])
const cells = (grid, column) => grid.locator(`td[data-column=${column}]`).allTextContents()
const said = page => page.locator('[data-say]').textContent()

view.test(
  'T39 layers unfold to layers, operators and kernels, level by level, each with the figures of the report',
  async () => {
    const page = await openProfile(view.url),
      expected = await table('operators', SYNTHETIC)
    const grid = page.getByRole('grid', { name: 'Operators', exact: true })
    const exact = (row, column) =>
      row.locator(`td[data-column=${column}] span`).getAttribute('title')
    const unfold = async name => {
      await grid
        .getByRole('button', { name: 'Unfold ' + name, exact: true })
        .first()
        .click()
      await grid.getByRole('button', { name: 'Fold ' + name, exact: true }).waitFor()
    }
    /** The row of a name, and that of the report, whose figures it has. */
    const isOfReport = async (level, name) => {
      const row = grid.locator('tr', { has: page.locator(`span.ends[title="${name}"]`) }).first()
      await row.waitFor()
      const device = (await row.locator('td[data-column=device]').textContent()).trim(),
        own = expected.find(
          one => one.level === level && one.operator === name && one.device === device,
        )
      assert.equal(psOf((await exact(row, 'total_ns')).replace(' ns', '')), BigInt(own.total_ps))
      for (const key of ['flops', 'bytes', 'mfu', 'share', 'calls'])
        if (own[key] !== null) assert.equal(Number(await exact(row, key)), own[key], name + key)
      assert.equal(
        (await row.locator('td[data-column=category]').textContent()).trim() || '–',
        own.category || '–',
      )
      return { row, own, device }
    }
    await page.getByLabel('Level').selectOption('layer')
    await until(
      'the models of two devices',
      async () => (await grid.locator('tbody tr').count()) === 6,
    )
    // What a layer has is what is in it: its own operators, and the layers below.
    const all = expected.filter(
        one => one.level === 'layer' && /^layers(\/|$)/.test(one.operator) && /0$/.test(one.device),
      ),
      sum = key => all.reduce((total, one) => total + Number(one[key]), 0)
    await grid.locator('tbody tr').nth(5).waitFor()
    const layers = grid
      .locator('tbody tr', { has: page.locator('span.ends[title="layers"]') })
      .filter({ hasText: 'TPU:0' })
    for (const key of ['calls', 'flops', 'bytes'])
      assert.equal(Number(await exact(layers, key)), sum(key), key)
    assert.equal(psOf((await exact(layers, 'self_ns')).replace(' ns', '')), BigInt(sum('self_ps')))
    await layers.getByRole('button', { name: 'Unfold layers' }).click()
    await isOfReport('layer', 'layers/attention')
    await isOfReport('framework', 'jit(train_step)/layers/transpose')
    await isOfReport('layer', 'layers/mlp')
    await unfold('layers/mlp')
    await isOfReport('framework', 'jit(train_step)/layers/mlp/up')
    const { own, device } = await isOfReport('framework', 'jit(train_step)/layers/mlp/down')
    await unfold(own.operator)
    const below = expected.filter(
      one => one.level === 'hlo' && one.device === device && one.flops === own.flops,
    )
    const { row } = await isOfReport('hlo', below.find(one => one.self_ps === own.self_ps).operator)
    assert.equal(await row.locator('.indent').count(), 3)
    assert.equal(await row.locator('.fold').count(), 0)
    // A filter shows what it finds, with all layers beside each other.
    await page.getByLabel('Filter operators').fill('layers')
    await until(
      'layers beside each other',
      async () =>
        (await grid.locator('tbody tr:not(.child)').count()) ===
        expected.filter(one => one.level === 'layer' && one.operator.startsWith('layers')).length,
    )
    await page.getByLabel('Filter operators').fill('')
    await page.getByLabel('Level').selectOption('framework')
    await until(
      'framework operators',
      async () =>
        (await grid.locator('tbody tr').count()) ===
        expected.filter(one => one.level === 'framework').length,
    )
  },
)

view.test('CSV has all rows, also those that a widget does not show', async () => {
  const names = Array.from({ length: 12000 }, (_, k) => 'kernel' + k)
  const file = put('many-names.json', {
    traceEvents: names.map((name, k) => ({
      ph: 'X',
      pid: 0,
      tid: 7,
      ts: k * 10,
      dur: 5,
      name,
      cat: 'kernel',
      args: { device: 0, stream: 7 },
    })),
  })
  const page = await openProfile(await view.add(file))
  for (const [widget, column] of [
    ['Latency', 'name'],
    ['Operators', 'operator'],
  ]) {
    await page.keyboard.press('+')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: new RegExp('^' + widget) })
      .first()
      .click()
    const shown = page.locator('.widget-' + widget.toLowerCase()).last(),
      saved = page.waitForEvent('download')
    await shown.getByRole('grid').first().waitFor()
    await shown.getByRole('button', { name: 'CSV', exact: true }).click()
    const [head, ...lines] = fs
      .readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split('\n')
      .map(line => line.split(','))
    assert.deepEqual(
      lines.map(line => line[head.indexOf(column)]).sort(),
      [...names].sort(),
      widget,
    )
  }
})

view.test(
  'CSV of Events and of Search has all rows, also those behind the page of hits that is shown',
  async () => {
    // More than Search asks for at once, and more than an answer holds.
    const made = Array.from({ length: 12500 }, (_, k) => ({
      ph: 'X',
      pid: 0,
      tid: k % 2,
      ts: k * 10,
      dur: 5 + (k % 3),
      name: (k % 5 ? 'op, "' : 'other ') + k,
    }))
    const page = await openProfile(await view.add(put('many-events.json', { traceEvents: made })))
    const add = async widget => {
      await page.keyboard.press('+')
      await page
        .getByRole('dialog')
        .getByRole('button', { name: new RegExp('^' + widget + '\\b') })
        .first()
        .click()
      return page.locator('.widget-' + widget.toLowerCase()).last()
    }
    const save = async widget => {
      const saved = page.waitForEvent('download')
      await widget.getByRole('button', { name: 'CSV', exact: true }).click()
      const [head, ...lines] = fs
        .readFileSync(await (await saved).path(), 'utf8')
        .trim()
        .split('\n')
        .map(fieldsOfLine)
      return lines.map(line => Object.fromEntries(head.map((key, i) => [key, line[i]])))
    }
    const events = await add('Events'),
      { t0 } = await windowOf(page),
      zero = made[0].ts
    const wanted = (list, unit) =>
      list
        .map(one => [one.name, String((one.ts - zero) * unit), String(one.dur * unit)].join('|'))
        .sort()
    await events.locator('.bar', { hasText: '12,500 events' }).waitFor()
    assert.equal(t0, 0n)
    const all = await save(events)
    assert.deepEqual(
      all.map(row => [row.name, row.start_ns, row.duration_ns].join('|')).sort(),
      wanted(made, 1000),
    )
    assert.deepEqual(new Set(all.map(row => row.track)).size, 2)
    // Of a window those that touch it; of a filter those that it keeps.
    await ask(page, '@1000000..31000000')
    await events.getByLabel('Filter events').fill('name~op')
    const kept = made.filter(
      one =>
        one.name.startsWith('op') &&
        one.ts * 1000 <= 31000000 &&
        (one.ts + one.dur) * 1000 >= 1000000,
    )
    await events
      .locator('.bar', { hasText: kept.length.toLocaleString('en') + ' events' })
      .waitFor()
    assert.deepEqual(
      (await save(events)).map(row => [row.name, row.start_ns, row.duration_ns].join('|')).sort(),
      wanted(kept, 1000),
    )
    // Search looks at the whole profile.
    await ask(page, 'name~other')
    const search = await add('Search'),
      others = made.filter(one => one.name.startsWith('other'))
    await search
      .locator('.bar', { hasText: others.length.toLocaleString('en') + ' hits' })
      .waitFor()
    assert.ok((await search.locator('tbody tr').count()) < others.length)
    const hits = await save(search)
    assert.deepEqual(
      hits.map(row => [row.name, row.start_ps, row.duration_ps].join('|')).sort(),
      wanted(others, 1000000),
    )
    assert.equal(new Set(hits.map(row => row.row)).size, others.length)
  },
)

view.test(
  'D26 a layer sums up what is stated in it and below, and opens to its operators',
  async () => {
    const places = ['/Net/up', '/Net/up', '/Net/down/a', '/Net/down/b', '/Net/idle'],
      moved = [4096, null, 1000, null, null]
    const page = await openProfile(
      await view.add(
        put('below.json', {
          metadata: [{ first_hw_timestamp: 0, last_hw_timestamp: 9000, ntff_version: 6 }],
          summary: [{ total_time: 9e-6 }],
          instruction: places.flatMap((layer, i) => [
            {
              opcode: 'MATMUL',
              layer,
              timestamp: 1000 * i,
              duration: 400,
              subgroup: 'Tensor',
              pc: 2 * i,
              ...(moved[i] === null ? {} : { hbm_read_bytes: moved[i] }),
            },
            {
              opcode: 'EVENT_SEMAPHORE', // a wait, which is no operator
              layer,
              timestamp: 1000 * i + 500,
              duration: 100,
              subgroup: 'Tensor',
              pc: 2 * i + 1,
            },
          ]),
        }),
      ),
    )
    await openTab(page, 'Operators')
    const grid = page.getByRole('grid', { name: 'Operators', exact: true })
    await page.getByLabel('Level').selectOption('layer')
    const rowAt = name =>
      grid.locator('tr', { has: page.locator(`span.ends[title="${name}"]`) }).first()
    await rowAt('/Net/down').waitFor()
    await rowAt('/Net/down').getByRole('button', { name: 'Unfold /Net/down' }).click()
    for (const name of [
      '/Net',
      '/Net/up',
      '/Net/down',
      '/Net/down/a',
      '/Net/down/b',
      '/Net/idle',
    ]) {
      const row = rowAt(name),
        below = moved.filter((n, i) => n !== null && (places[i] + '/').startsWith(name + '/'))
      await row.waitFor()
      const said = row.locator('td[data-column=bytes] span')
      if (below.length)
        assert.equal(
          Number(await said.getAttribute('title')),
          below.reduce((a, b) => a + b),
          name,
        )
      else
        assert.match(
          (await row.locator('td[data-column=bytes]').innerHTML()).trim(),
          /states no bytes/,
        )
    }
    await rowAt('/Net/up').getByRole('button', { name: 'Unfold /Net/up' }).click()
    const below = grid.locator('tr.child', { has: page.locator('span.ends[title="MATMUL"]') })
    await below.waitFor()
    assert.equal((await below.locator('td[data-column=calls]').textContent()).trim(), '2')
  },
)

view.test('T39 operators are filtered, and sorted by each column', async () => {
  const page = await openProfile(view.url)
  await layout(page, 'operator-hlo')
  const grid = page.getByRole('grid', { name: 'Operators', exact: true })
  await grid.locator('tbody tr').first().waitFor()
  assert.ok((await sortsByEach(grid)) >= 9)
  await page.getByLabel('Filter operators').fill('fusion.15')
  await until('one operator', async () => {
    const shown = await cells(grid, 'operator')
    return shown.length === 2 && shown.every(name => name.includes('fusion.15'))
  }) // of two devices
  const row = (await table('operators', SYNTHETIC)).find(
    one => one.level === 'hlo' && one.operator === 'fusion.15',
  )
  assert.equal(
    Number(
      await grid
        .locator('tr', { hasText: row.device })
        .locator('td[data-column=mfu] span')
        .getAttribute('title'),
    ),
    row.mfu,
  )
  // D27: the words of the guide, as other tables take them.
  const shares = (await table('operators', SYNTHETIC)).filter(one => one.level === 'hlo'),
    count = of => shares.filter(of).length
  for (const [text, wanted] of [
    ['MFU > 60', count(one => one.mfu !== null && one.mfu > 0.6)],
    [
      'mfu > 0.6 and occurrences > 11',
      count(one => one.mfu !== null && one.mfu > 0.6 && Number(one.calls) > 11),
    ],
    ['total > 1000000', count(one => BigInt(one.total_ps) > 1000000000n)],
    ['category = loop fusion', count(one => one.category === 'loop fusion')],
  ]) {
    assert.ok(wanted > 0 && wanted < shares.length, text)
    await page.getByLabel('Filter operators').fill(text)
    await until(text, async () => (await cells(grid, 'operator')).length === wanted)
  }
})

view.test(
  'T42 T53 a gap that a transfer fills says so; a click zooms to it and lists the transfer; the same by keyboard',
  async () => {
    const file = made('copy.xplane.pb', 'view/fixtures.py', 'copy'),
      page = await openProfile(await view.add(file), AGAIN),
      whole = await windowOf(page)
    await openTab(page, 'Gaps')
    const grid = page.getByRole('grid', { name: 'Gaps' }),
      row = grid.locator('tbody tr').first(),
      [gap] = await table('gaps', file)
    await row.waitFor()
    assert.equal((await cells(grid, 'cause'))[0].trim(), 'waiting for a transfer')
    const isShown = async () => {
      const { t0, t1 } = await windowOf(page),
        start = BigInt(gap.start_ps),
        end = start + BigInt(gap.duration_ps)
      return t0 < start && t1 > end && t1 - t0 < 3n * (end - start)
    }
    const follow = async how => {
      await how()
      await until('the zoom', isShown)
      assert.match(await said(page), /selected 48.0 us from 31.0 us on/)
    }
    await follow(() => row.click())
    const part = name =>
      page.locator('.around div', { has: page.locator('dt', { hasText: name }) }).locator('button')
    for (const [name, event] of [
      ['Before it', 'copy-start.1'],
      ['Ran meanwhile', 'copy.1'],
      ['What ended it', 'copy-done.1'],
    ]) {
      await part(name).first().waitFor()
      assert.match(
        await part(name).first().textContent(),
        new RegExp('^\\s*' + event.replaceAll('.', '\\.') + '\\s'),
      )
    }
    await part('Ran meanwhile').first().click()
    await page.locator('.event-name', { hasText: /^copy\.1$/ }).waitFor()
    await page.locator('.timeline .over').focus()
    await page.keyboard.press('Escape')
    await page.keyboard.press('0')
    await until('the whole run', async () => (await windowOf(page)).t0 === whole.t0)
    await row.focus()
    await follow(() => page.keyboard.press('Enter'))
  },
)

view.test('idle time before an event leads to what ran meanwhile', async () => {
  const page = await openProfile(await view.add(made('copy.xplane.pb', 'view/fixtures.py', 'copy')))
  await ask(page, 'name=copy-done.1')
  await page.locator('.event-name', { hasText: 'copy-done.1' }).waitFor()
  await page.getByRole('button', { name: 'Idle before' }).click()
  await page.getByRole('button', { name: 'Meanwhile' }).click()
  await page
    .locator('.widget-gaps .around div', { hasText: 'Ran meanwhile' })
    .getByRole('button', { name: /^copy\.1/ })
    .waitFor()
  assert.equal(await page.locator('.widget-gaps tr.current').count(), 1)
})

view.test(
  "what ran between a device's idle time and an event is no reason to wait: the page says that the device was at work",
  async () => {
    const kernel = (ts, dur, name) => ({
      ph: 'X',
      cat: 'kernel',
      name,
      pid: 0,
      tid: 7,
      ts,
      dur,
      args: { device: 0, stream: 7 },
    })
    const many = Array.from({ length: 100 }, (_, i) => kernel(300 + 10 * i, 10, 'small'))
    const file = put('busy.json', {
      schemaVersion: 1,
      deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
      traceEvents: [kernel(0, 100, 'first'), ...many, kernel(1300, 50, 'behind')],
    })
    const page = await openProfile(await view.add(file))
    for (const [name, answer] of [
      [
        'behind',
        /^Its device was at work right before it; it was idle last 1.00 ms earlier, for 200 us: launch not recorded 200 us\.$/,
      ],
      ['first', /not idle before it/],
    ]) {
      await ask(page, 'name=' + name)
      await page.locator('.event-name', { hasText: name }).waitFor()
      const { t0, t1 } = await windowOf(page)
      await page.keyboard.press('i')
      await until(name, async () => answer.test(await said(page)))
      assert.deepEqual(await windowOf(page), { t0, t1 })
      assert.equal(await page.locator('.event-name').textContent(), name)
    }
  },
)

view.test('T53 steps: a bar selects its step, by mouse and by keyboard', async () => {
  const page = await openProfile(view.url),
    steps = await table('steps', SYNTHETIC)
  await page.keyboard.press('2')
  const press = {
    mouse: bar => bar.click(),
    keyboard: async bar => {
      await bar.focus()
      await page.keyboard.press('Enter')
    },
  }
  for (const [i, how] of [
    [1, 'mouse'],
    [3, 'keyboard'],
    [2, 'mouse'],
  ]) {
    const step = steps[i],
      start = BigInt(step.start_ps),
      end = start + BigInt(step.duration_ps)
    await press[how](page.locator('.bar-group').nth(i))
    await until('the zoom by ' + how, async () => {
      const { t0, t1 } = await windowOf(page)
      return t0 <= start && t1 >= end && t1 - t0 < 2n * (end - start)
    })
    await page
      .locator('.widget-details h2', { hasText: new RegExp('^Step ' + step.step + '$') })
      .waitFor()
    const fields = await fieldsOf(page)
    assert.deepEqual(
      ['start', 'end', 'duration'].map(key => psOf(fields[key].split(' ')[0])),
      [start, end, end - start],
    )
  }
  const step = steps[2]
  // A scope of widgets has its name.
  await layout(page, 'Overview')
  assert.deepEqual(await page.locator('.scope-chip [role^=menuitem]').allTextContents(), [
    'Selection, else window',
    'Whole run',
    'Window',
    'Step ' + step.step,
  ])
})

view.test(
  'a step stands beside another one: what ran of each name in both, by its launch, the largest change first',
  async () => {
    // Kernels run long behind their launch: those of step 0 within step 1. In step 2 "down" takes 30 us more, and "extra" runs.
    const on = { pid: 9, tid: 1 },
      events = []
    for (const step of [0, 1, 2]) {
      events.push({
        ph: 'X',
        cat: 'user_annotation',
        name: 'ProfilerStep#' + step,
        ...on,
        ts: 1000 * step,
        dur: 1000,
      })
      for (const [k, [name, dur]] of [
        ['up', 50],
        ['down', step === 2 ? 70 : 40],
        ...(step === 2 ? [['extra', 20]] : []),
      ].entries()) {
        const correlation = 10 * step + k + 1
        events.push(
          {
            ph: 'X',
            cat: 'cuda_runtime',
            name: 'cudaLaunchKernel',
            ...on,
            ts: 1000 * step + 500 + 10 * k,
            dur: 2,
            args: { correlation },
          },
          {
            ph: 'X',
            cat: 'kernel',
            name,
            pid: 0,
            tid: 7,
            ts: 1000 * step + 1200 + 100 * k,
            dur,
            args: { device: 0, stream: 7, correlation },
          },
        )
      }
    }
    const page = await openProfile(
      await view.add(
        put('beside.pt.trace.json', {
          schemaVersion: 1,
          deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
          traceEvents: events,
        }),
      ),
    )
    await layout(page, 'Steps')
    const widget = page.locator('.widget-steps'),
      beside = widget.getByLabel('Step beside it'),
      grid = widget.getByRole('grid', { name: 'Two steps' })
    assert.equal(await beside.count(), 0)
    await widget.locator('.bar-group').nth(1).click()
    await page.locator('.widget-details h2', { hasText: 'ProfilerStep#1' }).waitFor()
    await beside.selectOption('step 2')
    await grid.locator('tbody tr').first().waitFor()
    const shown = (one = grid) =>
      one
        .locator('tbody tr')
        .evaluateAll(rows =>
          rows.map(row =>
            [...row.cells]
              .map(cell => (cell.querySelector('span[title]')?.title || cell.textContent).trim())
              .join(),
          ),
        )
    assert.deepEqual(await shown(), [
      'down,1,40,000 ns,1,70,000 ns,30,000 ns',
      'extra,0,0 ns,1,20,000 ns,20,000 ns',
      'up,1,50,000 ns,1,50,000 ns,0 ns',
    ])
    // The link has both; another step is another table.
    await page.waitForURL(/steps\.beside/)
    const other = await openProfile(page.url(), {})
    const again = other.locator('.widget-steps').getByRole('grid', { name: 'Two steps' })
    await again.locator('tbody tr').first().waitFor()
    assert.deepEqual(await shown(again), await shown())
    await widget.locator('.bar-group').nth(0).click()
    await until(
      'step 0',
      async () =>
        /step 0\b/.test(await grid.locator('thead').textContent()) &&
        (await shown())[0] === 'down,1,40,000 ns,1,70,000 ns,30,000 ns',
    )
    await grid.locator('tbody tr').first().click()
    await page.locator('.hits', { hasText: '3 hits' }).waitFor()
  },
)

view.test(
  'a right click on a layer outlines what ran of it, and Mark makes a region of each',
  async () => {
    const page = await openProfile(view.url),
      layers = await table('layers', SYNTHETIC)
    await layout(page, 'operator-timeline')
    const widget = page.locator('.widget-layers'),
      row = widget.locator('tbody tr', {
        has: page.locator('td', { hasText: /^layers\/attention$/ }),
      })
    await row.click({ button: 'right' })
    const count = (await csvOf(SYNTHETIC, ['kind', 'framework_op'], '-a', 'fusion')).filter(
      one => one.kind === 'span' && /\/layers\/attention\//.test(one.framework_op),
    ).length
    assert.ok(count > 10)
    await until(
      'its events',
      async () => (await said(page)) === count + ' events of layers/attention',
    )
    await widget.getByRole('button', { name: 'Mark' }).click()
    await until('regions', async () => (await said(page)) === layers.length + ' layers marked')
    await page.keyboard.press('Control+z')
    await until(
      'none',
      async () => (await said(page)) === 'undone: ' + layers.length + ' layers marked',
    )
  },
)

view.test('a click on a layer shows when it ran, and its operators alone', async () => {
  const page = await openProfile(view.url),
    [layer] = (await table('layers', SYNTHETIC)).filter(one => one.layer === 'layers/attention')
  await layout(page, 'operator-timeline')
  await page
    .locator('.widget-layers tbody tr', {
      has: page.locator('td', { hasText: /^layers\/attention$/ }),
    })
    .click()
  const spans = (
    await csvOf(SYNTHETIC, ['kind', 'process', 'framework_op'], '-a', 'fusion')
  ).filter(one => one.kind === 'span' && one.framework_op.includes('/layers/attention/'))
  const wanted = [...new Set(spans.map(one => one.framework_op + ' ' + one.process))].sort(),
    rows = page.locator('.widget-operators:not(.lm-mod-hidden) tbody tr')
  assert.ok(wanted.length > 1)
  const shown = () =>
    rows.evaluateAll(all =>
      all
        .map(
          row =>
            row.querySelector('.ends').title +
            ' ' +
            row.querySelector('[data-column=device]').textContent.trim(),
        )
        .sort(),
    )
  await until('its operators', async () => String(await shown()) === String(wanted))
  assert.equal(
    await page
      .locator('.widget-operators:not(.lm-mod-hidden)')
      .getByLabel('Filter operators')
      .inputValue(),
    'layers/attention/',
  )
  assert.match(
    await page.locator('.widget-operators:not(.lm-mod-hidden) .bar').textContent(),
    new RegExp('\\b' + wanted.length + ' of \\d+ rows'),
  )
  assert.equal(psOf((await fieldsOf(page)).start.replace(/[ns, ]/g, '')), BigInt(layer.start_ps))
})

view.test('T45 the buttons of Summary open their tables', async () => {
  const page = await openProfile(view.url)
  await openTab(page, 'Summary')
  await page.getByRole('button', { name: 'Framework layers' }).click()
  const grid = page.getByRole('grid', { name: 'Layers' })
  await grid.locator('tbody tr').first().waitFor()
  const layers = await table('layers', SYNTHETIC)
  assert.ok(layers.length > 2 && 'start_ps' in layers[0])
  assert.ok((await cellsAre(grid, layers)) > 0)
  await openTab(page, 'Summary')
  assert.ok(await page.getByRole('button', { name: 'Input tensors' }).isDisabled())
  await page.getByRole('button', { name: 'FLOP count' }).click()
  const work = await table('mfu', SYNTHETIC),
    sums = page.getByRole('grid', { name: 'Utilisation' })
  await until('its rows', async () => (await sums.locator('tbody tr').count()) === work.length)
  const flops = await sums
    .locator('td[data-column=flops]')
    .evaluateAll(all =>
      all.map(cell => cell.querySelector('span[title]:not(.unknown)')?.title ?? null),
    )
  assert.deepEqual(
    flops.map(text => (text === null ? null : Number(text))),
    work.map(one => one.flops),
  )
})

view.test('Latency says why a share is above 100 %, where one is', async () => {
  const note = page => page.locator('.widget-latency .told', { hasText: 'calls of that name' })
  const asyncs = (name, starts) =>
    starts.flatMap((ts, i) =>
      ['b', 'e'].map((ph, end) => ({
        ph,
        cat: 'async',
        id: i,
        name,
        ts: ts + 100 * end,
        pid: 0,
        tid: 7,
      })),
    )
  for (const [file, starts, over] of [
    ['overlapping.json', [0, 10, 20], true],
    ['apart.json', [0, 200, 400], false],
  ]) {
    const page = await openProfile(
      await view.add(put(file, { traceEvents: asyncs('copy', starts) })),
    )
    await openTab(page, 'Latency')
    await page.locator('.widget-latency .grid tbody tr').first().waitFor()
    assert.equal((await note(page).count()) > 0, over, file)
  }
})

view.test(
  'T52 the slowest dot of latency is the event of p99.9, by mouse and by keyboard',
  async () => {
    const page = await openProfile(view.url),
      name = 'fusion.15'
    await openTab(page, 'Latency')
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Name', { exact: true }).press('Enter')
    const durations = (await spansOf(SYNTHETIC))
      .filter(span => span.name === name && span.thread === 'XLA Ops')
      .map(span => span.duration)
      .sort((a, b) => (a < b ? -1 : 1))
    const dots = page.locator('.widget-latency .dot')
    await dots.nth(durations.length - 1).waitFor({ state: 'attached' })
    assert.equal(await dots.count(), durations.length)
    const highest = await dots.evaluateAll(all =>
      all.reduce(
        (most, dot, i) =>
          Number(dot.getAttribute('cy')) < Number(all[most].getAttribute('cy')) ? i : most,
        0,
      ),
    )
    const isIt = async () =>
      page
        .locator('.event-name')
        .count()
        .then(
          async there =>
            there && psOf((await fieldsOf(page)).duration.split(' ')[0]) === durations.at(-1),
        )
    await dots.nth(highest).click({ force: true }) // dots may cover each other
    await until('the slowest event', isIt)
    assert.match(await said(page), /selected fusion\.15/)
    await page.locator('.timeline .over').focus()
    await page.keyboard.press('Escape')
    await page.locator('.event-name').waitFor({ state: 'detached' })
    await dots.nth(highest).focus()
    await page.keyboard.press('Enter')
    await until('the slowest event again', isIt)
    assert.equal(
      (await fieldsOf(page)).percentile,
      'the longest of ' + durations.length + ' of this name',
    )
  },
)

view.test(
  'latencies of two names stand beside each other, of the same scope, by the link, too',
  async () => {
    const page = await openProfile(view.url),
      names = ['fusion.15', 'fusion.14'],
      widget = page.locator('.widget-latency'),
      grid = widget.getByRole('grid', { name: 'Two names' })
    const spans = await spansOf(SYNTHETIC),
      lengths = names.map(name =>
        spans
          .filter(span => span.name === name && span.thread === 'XLA Ops')
          .map(span => span.duration)
          .sort((a, b) => (a < b ? -1 : 1)),
      )
    await openTab(page, 'Latency')
    assert.equal(await widget.getByLabel('Beside it').count(), 0)
    for (const [label, name] of [
      ['Name', names[0]],
      ['Beside it', names[1]],
    ]) {
      await widget.getByLabel(label, { exact: true }).fill(name)
      await widget.getByLabel(label, { exact: true }).press('Enter')
    }
    const figure = async (key, one = grid) =>
      await one
        .locator('tbody tr', {
          has: one.page().locator('td', { hasText: new RegExp('^' + key + '$') }),
        })
        .locator('td span')
        .evaluateAll(all => all.map(one => one.title))
    await grid.waitFor()
    assert.deepEqual(
      await figure('count'),
      lengths.map(all => String(all.length)),
    )
    for (const [key, at] of [
      ['min', 0],
      ['max', -1],
    ])
      assert.deepEqual(
        (await figure(key)).map(text => psOf(text.replace(' ns', ''))),
        lengths.map(all => all.at(at)),
        key,
      )
    assert.equal(await widget.locator('.dot').count(), lengths[0].length + lengths[1].length)
    const saved = page.waitForEvent('download')
    await widget.getByRole('button', { name: 'CSV', exact: true }).first().click()
    const [head, ...lines] = fs
      .readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split('\n')
      .map(fieldsOfLine)
    assert.deepEqual(
      names.map(name => lines.filter(line => line[head.indexOf('name')] === name).length),
      lengths.map(all => all.length),
    )
    // Of a window both have what touches it.
    await page.waitForURL(/latency\.other/)
    await ask(page, '@3000000..9000000')
    await scopeTo(widget, 'window')
    const inside = names.map(name =>
      String(
        spans.filter(
          span =>
            span.name === name &&
            span.thread === 'XLA Ops' &&
            span.start <= 9000000000n &&
            span.end >= 3000000000n,
        ).length,
      ),
    )
    await until('the window', async () => String(await figure('count')) === String(inside))
    await page.waitForURL(/[?&]s=window/)
    const other = await openProfile(page.url(), {}),
      again = other.getByRole('grid', { name: 'Two names' })
    await until(
      'the window there',
      async () => String(await figure('count', again)) === String(inside),
    )
    assert.notDeepEqual(
      inside,
      lengths.map(all => String(all.length)),
    )
    for (const key of ['min', 'max'])
      assert.deepEqual(await figure(key, again), await figure(key), key)
    assert.deepEqual(
      await Promise.all(
        ['Name', 'Beside it'].map(label =>
          other.locator('.widget-latency').getByLabel(label, { exact: true }).inputValue(),
        ),
      ),
      names,
    )
  },
)

view.test(
  'at 1024 pixels the steps stand beside their bars, all in sight, and a step that is whole says no',
  async () => {
    const page = await openProfile(view.url, { viewport: { width: 1024, height: 700 } })
    await layout(page, 'Steps')
    const widget = await page.locator('.widget-steps').boundingBox(),
      rows = page.locator('.widget-steps tbody tr'),
      steps = await table('steps', SYNTHETIC)
    assert.equal(await rows.count(), steps.length)
    for (const row of await rows.all()) {
      const box = await row.boundingBox()
      assert.ok(box.y + box.height <= widget.y + widget.height)
    }
    assert.deepEqual(
      (await cells(page.locator('.widget-steps .grid'), 'cut')).map(text => text.trim()),
      steps.map(step => (step.cut ? 'yes' : 'no')),
    )
  },
)

/** Of each step the device that ends it last, and by what starts and ends differ, us with three digits, by hand. */
function lastOf(steps) {
  const us = ns => (Number(ns) / 1e3).toPrecision(3) + ' us'
  return [...new Set(steps.map(one => one.step))].map(step => {
    const own = steps.filter(one => one.step === step),
      starts = own.map(one => one.start),
      ends = own.map(one => one.end),
      last = own.find(one => one.end === Math.max(...ends))
    return {
      step,
      device: last.device,
      ns: Math.max(...ends) - Math.min(...ends),
      end: us(Math.max(...ends) - Math.min(...ends)),
      begin: us(Math.max(...starts) - Math.min(...starts)),
    }
  })
}

view.test(
  'bars of steps mark the device that ends last, and a line says by how much; of one device that is unknown',
  async () => {
    const steps = (await spansOf(SYNTHETIC))
      .filter(span => span.thread === 'Steps')
      .map(span => ({
        step: span.name,
        device: span.process,
        start: Number(span.start) / 1e3,
        end: Number(span.end) / 1e3,
      }))
    const wanted = lastOf(steps),
      worst = wanted.reduce((most, one) => (one.ns > most.ns ? one : most)),
      widget = page => page.locator('.widget-steps')
    assert.ok(wanted.length > 3 && worst.ns > 0)
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 1024, height: 700 },
    ]) {
      const page = await openProfile(view.url, { viewport, ...AGAIN }),
        note = widget(page).locator('.skew'),
        marked = widget(page).locator('.bar-group:has(.late)')
      await layout(page, 'Steps')
      await marked.first().waitFor()
      const labels = await marked.evaluateAll(all => all.map(one => one.getAttribute('aria-label')))
      assert.equal(labels.length, wanted.length)
      for (const one of wanted)
        assert.ok(
          labels.some(
            label =>
              label.startsWith('Step ' + one.step + ' of ' + one.device + ': ') &&
              label.endsWith(', ends last, ' + one.end + ' after the first'),
          ),
          one.step + ': ' + labels.join('\n'),
        )
      const said = (one, which = 'Step ') =>
        '▲ ' +
        which +
        one.step +
        ': ' +
        one.device +
        ' ends last, ' +
        one.end +
        ' after the first; they begin within ' +
        one.begin
      assert.equal(await note.textContent(), said(worst, 'Most in step ') + '.')
      await marked.filter({ has: page.locator('title', { hasText: 'Step 1 ' }) }).click()
      await until(
        'the selected step',
        async () => (await note.textContent()) === said(wanted.find(one => one.step === '1')) + '.',
      )
      assert.deepEqual(await looksOf(page), [])
      await shot(page, 'steps-skew-' + viewport.width)
    }
    const page = await openProfile(await view.add(put('alone.pt.trace.json', torchTrace(3, 12))))
    await layout(page, 'Steps')
    await widget(page)
      .locator('.skew', {
        hasText:
          'how far apart devices end a step is unknown: an annotation says when a step ends on the host, not on its devices',
      })
      .waitFor()
    assert.equal(await widget(page).locator('.late').count(), 0)
    assert.equal(
      (await widget(page).locator('.unknown-columns').textContent()).replace(/\s+/g, ' ').trim(),
      'unknown in every row: skew, begin skew, late: an annotation says when a step ends on the host, not on its devices',
    )
  },
)

view.test(
  'a table that is wider than its widget scrolls within it, its head in sight',
  async () => {
    const page = await openProfile(view.url, { viewport: { width: 1024, height: 700 } })
    await layout(page, 'operator-framework')
    const box = page.locator('.widget-operators .scrolled'),
      widget = await page.locator('.widget-operators').boundingBox()
    await box.evaluate(element => {
      element.scrollTo(1e5, 1e5)
    })
    const head = await box.getByRole('columnheader', { name: 'device', exact: true }).boundingBox()
    assert.ok(
      head.x + head.width <= widget.x + widget.width + 1 &&
        head.y >= widget.y &&
        head.y + head.height < widget.y + widget.height,
    )
  },
)

view.test(
  'all columns of a narrow Selection can be scrolled to, and the names of its rows stay',
  async () => {
    const page = await openProfile(view.url, { viewport: { width: 1024, height: 700 } })
    await layout(page, 'Code')
    await openTab(page, 'Selection')
    const cell = column =>
        page.locator(`.widget-selection tbody tr:first-child td[data-column=${column}]`).first(),
      box = page.locator('.widget-selection :is(.scrolled, .grid-box)').first()
    await cell('max').waitFor({ state: 'attached' })
    const inSight = async column => {
      const [one, all] = [await cell(column).boundingBox(), await box.boundingBox()]
      return (
        one.x >= all.x - 1 &&
        one.x + one.width <= all.x + all.width + 1 &&
        cell(column).evaluate(td => {
          const { left, top, height } = td.getBoundingClientRect()
          return td.contains(document.elementFromPoint(left + 6, top + height / 2))
        })
      )
    }
    // How wide the columns are depends on the fonts of the machine.
    for (const width of [1024, 940, 860]) {
      await page.setViewportSize({ width, height: 700 })
      await drawn(page)
      if (!(await inSight('max'))) break
    }
    assert.ok((await inSight('name')) && !(await inSight('max')))
    await box.evaluate(element => {
      element.scrollLeft = element.scrollWidth
    })
    await drawn(page)
    assert.ok(await inSight('max'), 'the last column')
    assert.ok(await inSight('name'), 'the names')
  },
)

view.test(
  'operators beside other tabs show rows, with all their figures in sight, however long names are',
  async () => {
    const page = await openProfile(
      await view.add(
        put(
          'names.json',
          torchTrace(
            2,
            40,
            name =>
              'void at::native::' +
              name +
              '<128, 4, at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<c10::BFloat16>>>(int, at::native::Functor)',
          ),
        ),
      ),
    )
    const box = page.locator('.widget-operators .scrolled'),
      rows = page.locator('.widget-operators tbody tr')
    assert.ok(await box.evaluate(element => element.scrollWidth <= element.clientWidth))
    assert.ok((await rows.count()) >= 5)
    const { y, height } = await box.boundingBox(),
      fourth = await rows.nth(3).boundingBox()
    assert.ok(fourth.y + fourth.height <= y + height)
    const other = await openProfile(view.url),
      slices = other.locator('.widget-operators .slice'),
      names = other.locator('.row .name')
    await other.locator('.widget-operators tbody tr').first().waitFor()
    assert.ok(
      (await slices.count()) > 1 && !(await slices.first().isVisible()),
      'pies take the room',
    )
    assert.ok((await names.count()) > 5)
    for (const name of await names.all())
      assert.ok(
        await name.evaluate(element => element.scrollWidth <= element.clientWidth),
        await name.textContent(),
      )
  },
)

view.test(
  'a path that has no room shows how it ends, and what was searched for stays in sight beside its hits',
  async () => {
    const page = await openProfile(view.url, { viewport: { width: 1280, height: 800 } })
    await page.setViewportSize({ width: 960, height: 700 })
    await layout(page, 'operator-framework')
    const cell = page
      .locator('.widget-operators .ends', { hasText: 'jit(train_step)/layers/mlp/down' })
      .first()
    const box = await cell.locator('..').boundingBox(),
      [front, end] = await Promise.all([0, 1].map(i => cell.locator('span').nth(i).boundingBox()))
    assert.ok(
      await cell
        .locator('span')
        .first()
        .evaluate(element => element.scrollWidth > element.clientWidth),
      'the path has room',
    )
    assert.ok(
      front.x >= box.x &&
        end.x >= front.x + front.width - 1 &&
        end.x + end.width <= box.x + box.width,
    )
    await page.setViewportSize({ width: 1280, height: 800 })
    await layout(page, 'Overview')
    await page.locator('.widget-operators tbody tr').first().click()
    await page.locator('.hits').waitFor()
    assert.ok(
      await page.locator('.search').evaluate(element => element.scrollWidth <= element.clientWidth),
    )
  },
)

view.test(
  'flops of 0 that the file states are 0 flop/s, and those that nobody states are unknown, with the reason',
  async () => {
    const page = await openProfile(
        await view.add(made('stated.xplane.pb', 'view/fixtures.py', 'stated')),
      ),
      points = page.getByRole('grid', { name: 'Points of the roofline' })
    await layout(page, 'Roofline')
    await points.locator('tbody tr').first().waitFor()
    const shown = Object.fromEntries(
      await points.locator('tbody tr').evaluateAll(all =>
        all.map(row => [
          row.cells[0].textContent.trim(),
          [...row.cells].slice(3).map(cell => {
            const unknown = cell.querySelector('.unknown')
            return unknown ? unknown.getAttribute('aria-label') : cell.textContent.trim()
          }),
        ]),
      ),
    )
    const noFlops = 'unknown: the file states no flops of it, and no shapes tell them'
    assert.deepEqual(shown, {
      'fusion.1': ['40.0 TFLOP/s', '200 flop/byte'],
      'copy.1': ['0 FLOP/s', '0 flop/byte'],
      'all-reduce.1': [noFlops, noFlops],
      'fusion.2': ['68.0 TFLOP/s', 'unknown: the file states no bytes of it'],
      'fusion.3': [noFlops, noFlops],
    })
    assert.equal(await page.locator('.widget-roofline .dot').count(), 1)
    assert.deepEqual(await looksOf(page), [])
    await shot(page, 'roofline-stated')
  },
)

view.test('a point of the roofline keeps the focus while the window changes', async () => {
  const page = await openProfile(view.url)
  await layout(page, 'Roofline')
  const roofline = page.locator('.widget-roofline'),
    focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-name'))
  await scopeTo(roofline, 'window')
  await rest(page)
  const before = await roofline.locator('.chart').innerHTML()
  await roofline.locator('.dot').nth(1).focus()
  const name = await focused()
  assert.ok(name)
  const box = await page.locator('.timeline .over').boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, -300)
  await page.keyboard.up('Control')
  await until(
    'another picture',
    async () => (await roofline.locator('.chart').innerHTML()) !== before,
  )
  assert.equal(await focused(), name)
})

view.test('T53 a point of the roofline leads to its events, by mouse and by keyboard', async () => {
  const page = await openProfile(view.url),
    dots = page.locator('.widget-roofline .dot'),
    name = page.locator('.widget-details .event-name')
  const rows = (await csvOf(SYNTHETIC, ['kind', 'name'], '-a', 'fusion')).filter(
    row => row.kind === 'span',
  )
  await layout(page, 'Roofline')
  // Devices of one peak share a line.
  assert.deepEqual(await page.locator('.widget-roofline .totals dt').allTextContents(), [
    '/device:TPU:0, /device:TPU:1',
  ])
  const operators = (
    await dots.evaluateAll(all => all.map(one => one.getAttribute('aria-label')))
  ).map(text => text.split(' of ')[0])
  assert.deepEqual(
    [...new Set(operators)].sort(),
    [
      ...new Set(
        (await table('mfu', SYNTHETIC))
          .filter(
            one =>
              one.flops &&
              one.bytes &&
              one.step === null &&
              one.operator &&
              !/^\(/.test(one.operator),
          )
          .map(one => one.operator),
      ),
    ].sort(),
  )
  for (const [i, how] of [
    [0, 'mouse'],
    [operators.length - 1, 'keyboard'],
  ]) {
    if (how === 'mouse')
      await dots.nth(i).click({ force: true }) // dots may cover each other
    else {
      await dots.nth(i).focus()
      await page.keyboard.press('Enter')
    }
    const found = await until(
      how,
      async () =>
        (await name.count()) &&
        operators.includes(await name.textContent()) &&
        (await name.textContent()),
    )
    if (how === 'keyboard') assert.equal(found, operators[i])
    await until(
      'all of them',
      async () =>
        Number.parseInt((await page.locator('.hits').textContent()).replaceAll(',', ''), 10) ===
        rows.filter(row => row.name === found).length,
    )
    await ask(page, '')
    await page.keyboard.press('Escape')
    await name.waitFor({ state: 'detached' })
  }
})

view.test('T55 a demand says met or not, as nprof gate does', async () => {
  const page = await openProfile(view.url),
    refused = []
  page.on('response', answer => {
    if (answer.status() >= 400) refused.push(answer.url())
  })
  await page.keyboard.press('+')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Gates/ })
    .click()
  const demands = ['mfu > 45%', 'mfu > 50.1%', 'step < 1ms', 'memory < 1GB']
  for (const demand of demands) {
    await page.getByLabel('Demand', { exact: true }).fill(demand)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
  }
  const printed = JSON.parse(await nprof('gate', '-q', '--format', 'json', SYNTHETIC, ...demands)),
    rows = page.getByRole('table', { name: 'Demands' }).locator('tr')
  for (const [i, demand] of demands.entries()) {
    // One of several devices that fails is what people must see.
    const own = printed.filter(one => one.demand === demand),
      worst = ['not met', 'undecided', 'met']
        .map(state => own.find(one => one.state === state))
        .find(Boolean)
    const shown = async () =>
      (await rows.nth(i).locator('td').allTextContents()).map(text => text.trim())
    await until(demand, async () => /[a-z]/i.test((await shown())[0]))
    const [state, text, value, key] = await shown()
    assert.equal(text, demand)
    assert.ok(state.toLowerCase().endsWith(worst.state), state + ', printed: ' + worst.state)
    assert.equal(key, worst.key)
    if (worst.value.value === null) assert.match(value, /unknown/)
    else
      assert.ok(
        Math.abs(Number.parseFloat(value.replaceAll(',', '')) - worst.value.value) <=
          halfOf(value.split(' ')[0]),
        value + ', not ' + worst.value.value,
      )
  }
  assert.deepEqual([...new Set(printed.map(one => one.state))].sort(), [
    'met',
    'not met',
    'undecided',
  ])
  // The link of a demand leads to the row that decides it, and to no other.
  const widget = page.locator('.widget-table:not(.lm-mod-hidden)'),
    grid = widget.getByRole('grid')
  const [device] = printed
      .filter(one => one.demand === demands[1])
      .find(one => one.state === 'not met')
      .key.split(', '),
    wanted = (await table('mfu', SYNTHETIC)).filter(
      one => one.device === device && one.operator === '(total)' && one.step === null,
    )
  assert.equal(wanted.length, 1)
  await rows.nth(1).getByRole('button', { name: 'Show' }).click()
  await until('its row', async () => (await grid.locator('tbody tr').count()) === 1)
  assert.deepEqual(
    [
      await grid.locator('td[data-column=device]').textContent(),
      Number(await grid.locator('td[data-column=mfu] span').getAttribute('title')),
    ],
    [device, wanted[0].mfu],
  )
  assert.deepEqual(await page.locator('.hits').allTextContents(), [])
  // A step is the median of the periods of its device, which its verdict has.
  await openTab(page, 'Gates')
  await rows.nth(2).getByRole('button', { name: 'Show' }).click()
  const [verdict] = (await table('verdict', SYNTHETIC)).filter(
    one => one.device === '/device:TPU:0',
  )
  await until(
    'its verdict',
    async () =>
      String(await cells(grid, 'device')) === '/device:TPU:0' &&
      String(await cells(grid, 'code')) === verdict.code,
  )
  await openTab(page, 'Gates')
  assert.deepEqual(refused, [])
  // They are there again when the page is, once the address says which tabs there are.
  await until('the address', () =>
    page.evaluate(() => /gates/.test(decodeURIComponent(location.search))),
  )
  await page.reload()
  await page.locator('.timeline .row').first().waitFor()
  await openTab(page, 'Gates')
  await until('kept demands', async () => (await rows.count()) === demands.length)
})

view.test(
  'the slowest operation of a step, why its device was idle before, and its line: in twelve acts',
  async () => {
    const page = await openProfile(view.url)
    let acts = 0
    const act = async run => {
      acts++
      await run()
    }
    await act(() => openTab(page, 'Steps'))
    await act(() => page.locator('.bar-group').nth(2).click())
    await act(() => openTab(page, 'Selection'))
    await act(() => scopeTo(page.locator('.widget-selection'), 'selection'))
    const grid = page.getByRole('grid', { name: 'Statistics of the selection' })
    await act(() => page.locator('.widget-selection').getByLabel('Filter').fill('fusion'))
    await act(() => grid.getByRole('button', { name: 'max', exact: true }).click())
    await act(() => grid.locator('tbody tr td[data-column=max] button').first().click())
    await page.locator('.event-name', { hasText: 'fusion' }).waitFor()
    const fields = await fieldsOf(page)
    assert.ok(psOf(fields.duration.split(' ')[0]) > 0n)
    await page.locator('.widget-details .links a', { hasText: /^model\.py:\d+$/ }).waitFor()
    await act(() => openTab(page, 'Gaps'))
    // Its scope is the step, as that of Selection; what the device waited for lies before that, and is told of the event.
    const before = page.locator('.widget-gaps .before')
    const [, length] = /was idle for ([\d.]+ us): not launched yet \1/.exec(
      await before.textContent(),
    )
    await act(() => before.getByRole('button', { name: 'Show' }).click())
    const row = page.getByRole('grid', { name: 'Gaps' }).locator('tbody tr'),
      start = psOf(fields.start.split(' ')[0])
    await until(
      'the gap alone',
      async () =>
        (await row.count()) === 2 &&
        /TPU:0.*not launched yet/s.test(await row.first().textContent()),
    )
    const [gap] = (await table('gaps', SYNTHETIC))
      .filter(
        one =>
          one.device === '/device:TPU:0' && one.start_ps !== null && BigInt(one.start_ps) < start,
      )
      .sort((a, b) => b.start_ps - a.start_ps)
    assert.equal(
      psOf(
        (
          await row.first().locator('td[data-column=duration_ns] span').getAttribute('title')
        ).replace(' ns', ''),
      ),
      BigInt(gap.duration_ps),
    )
    assert.equal(length, gap.duration_ps / 1e6 + ' us')
    assert.ok(acts <= 12)
  },
)

for (const name of ['operator-hlo', 'operator-framework']) {
  view.test('eight rows of operators are in sight at 1024 x 700: ' + name, async () => {
    const page = await openProfile(view.url, { viewport: { width: 1024, height: 700 } })
    await layout(page, name)
    const widget = page.locator('.widget-operators:not(.lm-mod-hidden)'),
      rows = widget.locator('.grid tbody tr')
    await rows.nth(7).waitFor({ state: 'attached' })
    const box = await widget.boundingBox(),
      all = await rows.evaluateAll(list => list.map(row => row.getBoundingClientRect().bottom))
    const seen = all.filter(bottom => bottom <= box.y + box.height).length
    assert.ok(seen >= 8, seen + ' of ' + all.length + ' rows, ' + JSON.stringify(box))
    await shot(page, 'rows-' + name)
  })
}
