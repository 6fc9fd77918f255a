// SPDX-License-Identifier: Apache-2.0
// The timeline: zoom, pan, hover, click, arrows, rows, links (tests 17-22, 27, 29-32, 57, 61 of the list).
import assert from 'node:assert/strict'
import {
  LAYOUTS,
  SYNTHETIC,
  ask,
  choose,
  chosen,
  clickEvent,
  colourAt,
  csvOf,
  drag,
  drawn,
  fieldsOf,
  halfOf,
  hold,
  insideOf,
  layout,
  open,
  openProfile,
  openTab,
  pointOf,
  printedBy,
  psOf,
  put,
  rest,
  rowOf,
  scopeTo,
  scrollTo,
  shot,
  spansOf,
  suite,
  table,
  unlike,
  until,
  windowOf,
} from './harness.mjs'
import { torchTrace } from './torch.mjs'

const view = suite([SYNTHETIC])

view.test('T17 a drag zooms to what it covered; Back shows the old window', async () => {
  const page = await openProfile(view.url)
  const old = await windowOf(page),
    box = await page.locator('.timeline .over').boundingBox()
  const at = part => ({ x: Math.round(box.x + box.width * part), y: box.y + 60 })
  await drag(page, at(0.3), at(0.6))
  const length = old.t1 - old.t0,
    pixel = length / BigInt(Math.round(box.width)) + 1n
  const now = await until('the zoom', async () => {
    const next = await windowOf(page)
    return next.t0 !== old.t0 && next
  })
  const near = (a, b) => assert.ok((a > b ? a - b : b - a) <= pixel, a + ' is not ' + b)
  near(now.t0, old.t0 + (length * 3n) / 10n)
  near(now.t1, old.t0 + (length * 6n) / 10n)
  // Summary and Selection follow the window: their sums are those of the report of that range.
  const devices = await table(
    'devices',
    '--clip',
    '--from',
    now.t0 + 'ps',
    '--to',
    now.t1 + 'ps',
    SYNTHETIC,
  )
  for (const name of ['Selection', 'Summary']) {
    await openTab(page, name)
    const widget = page.locator('.widget-' + name.toLowerCase())
    await scopeTo(widget, 'window')
    const sums = async () =>
      Object.fromEntries(
        await widget
          .locator('.totals div')
          .evaluateAll(all =>
            all.map(one => [
              one.querySelector('dt').textContent,
              one.querySelector('dd').textContent.trim(),
            ]),
          ),
      )
    const keys = ['busy', 'compute', 'communication', 'copy', 'exposed', 'idle'],
      isIt = (shown, key) => {
        const [value, unit] = (shown[key] ?? '').split(' '),
          ps = { ns: 1e3, us: 1e6, ms: 1e9 }[unit],
          wanted = devices.reduce((all, one) => all + Number(one[key + '_ps']), 0)
        return Math.abs(Number(value) * ps - wanted) <= ps * halfOf(value)
      }
    await until(name + ' of the window', async () => {
      const shown = await sums()
      return keys.every(key => isIt(shown, key))
    }).catch(async error => {
      throw new Error(error.message + '\n' + JSON.stringify([await sums(), devices]))
    })
  }
  await scopeTo(page, 'whole')
  await page.goBack()
  await until('the old window', async () => {
    const back = await windowOf(page)
    return back.t0 === old.t0 && back.t1 === old.t1
  })
})

view.test(
  'T17 from 5 to 5.2 ms Selection counts what csv has, and says fusion.11, not the loop around it',
  async () => {
    const page = await openProfile(view.url),
      window = { t0: 5000000000n, t1: 5200000000n }
    await page.keyboard.press('/')
    await page.keyboard.type('@5000000..5200000')
    await page.keyboard.press('Enter')
    await until('the window', async () => {
      const now = await windowOf(page)
      return now.t0 === window.t0 && now.t1 === window.t1
    })
    await openTab(page, 'Selection')
    await scopeTo(page.locator('.widget-selection'), 'window')
    const grid = page.getByRole('grid', { name: 'Statistics of the selection' }),
      spans = (await spansOf(SYNTHETIC)).filter(
        span => span.start <= window.t1 && span.end >= window.t0,
      )
    await until(
      'its events',
      async () => Number(await page.locator('.totals dd').first().textContent()) === spans.length,
    )
    await page.locator('.widget-selection').getByLabel('Filter').fill('fusion')
    await grid.getByRole('button', { name: 'self', exact: true }).click()
    await until(
      'fusion.11',
      async () => (await grid.locator('tbody tr td').first().textContent()).trim() === 'fusion.11',
    )
    const total = await grid
      .locator('tbody tr')
      .first()
      .locator('td[data-column=self_inside] span')
      .getAttribute('title')
    assert.equal(
      psOf(total.replace(' ns', '')),
      spans
        .filter(span => span.name === 'fusion.11' && span.thread === 'XLA Ops')
        .reduce((all, span) => all + insideOf(span, window), 0n),
    )
    // What the widget gives as a command says the same.
    const [printed, [sums]] = await printedBy(page.locator('.widget-selection')),
      row = printed.find(one => one.name === 'fusion.11')
    assert.equal(psOf(total.replace(' ns', '')), BigInt(row.self_ps))
    // Its share is of the device's work alone: the loop, the program and the step around it have the same time again.
    const work =
      spans
        .filter(span => span.thread === 'XLA Ops')
        .reduce((all, span) => all + insideOf(span, window), 0n) -
      spans
        .filter(span => span.name === 'while.1')
        .reduce((all, span) => all + insideOf(span, window), 0n)
    const share = grid.locator('tbody tr').first().locator('td[data-column=share]')
    assert.ok(
      Math.abs(
        Number((await share.locator('span').getAttribute('title')).split(' ')[0]) -
          Number(psOf(total.replace(' ns', ''))) / Number(work),
      ) < 1e-9,
    )
    assert.equal(
      await grid.locator('tbody tr').first().locator('td[data-column=share_of]').textContent(),
      'device work',
    )
    await page.locator('.widget-selection').getByLabel('Filter').fill('jit_train')
    await until('the program', async () =>
      (await grid.locator('tbody tr td').first().textContent()).startsWith('jit_train'),
    )
    assert.match(
      await share.locator('span').getAttribute('title'),
      /^unknown: no work: .*whose time would count again/,
    )
    await page.locator('.widget-selection').getByLabel('Filter').fill('while.1')
    await until(
      'while.1',
      async () => (await grid.locator('tbody tr td').first().textContent()).trim() === 'while.1',
    )
    const around = await grid
      .locator('tbody tr')
      .first()
      .locator('td[data-column=self_inside] span')
      .getAttribute('title')
    assert.equal(psOf(around.replace(' ns', '')), 0n)
    const mfu = page.locator('.widget-selection .totals div', { hasText: 'MFU' }).locator('dd')
    await until('MFU of the window', async () =>
      /^62\.\d %$/.test((await mfu.textContent()).trim()),
    )
    assert.ok(Math.abs(sums.mfu - 0.62) < 0.005, String(sums.mfu))
    assert.equal(sums.events, spans.length)
  },
)

view.test('T18 ruler, Shift+wheel, A, D and arrows pan; closer, a key pans less', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('w')
  await page.keyboard.press('w')
  const moved = async act => {
    const old = await windowOf(page)
    await act()
    const now = await until('a pan', async () => {
      const next = await windowOf(page)
      return next.t0 !== old.t0 && next
    })
    assert.equal(now.t1 - now.t0, old.t1 - old.t0)
    return now.t0 - old.t0
  }
  const right = await moved(() => page.keyboard.press('d'))
  assert.ok(right > 0n)
  assert.equal(await moved(() => page.keyboard.press('a')), -right)
  assert.equal(await moved(() => page.keyboard.press('ArrowRight')), right)
  assert.equal(await moved(() => page.keyboard.press('ArrowLeft')), -right)
  const box = await page.locator('.ruler').boundingBox()
  assert.ok(
    (await moved(() =>
      drag(page, { x: box.x + 500, y: box.y + 10 }, { x: box.x + 400, y: box.y + 10 }),
    )) > 0n,
  )
  await page.mouse.move(box.x + 300, box.y + 80)
  await page.keyboard.down('Shift')
  assert.ok((await moved(() => page.mouse.wheel(0, 100))) > 0n)
  await page.keyboard.up('Shift')
  await page.keyboard.press('w')
  await page.keyboard.press('w')
  const closer = await moved(() => page.keyboard.press('d'))
  assert.ok(Math.abs(Number(closer) / Number(right) - 0.49) < 1e-6, closer + ' after ' + right) // each key shows 0.7 of the window
})

view.test(
  'T19 hovering over a row of Neuron says its operands, its semaphores or its tensor',
  async () => {
    const row = { subgroup: 'Tensor', duration: 400, pc: 1, layer: '/Net/mlp' }
    const page = await openProfile(
      await view.add(
        put('operands.json', {
          metadata: [{ first_hw_timestamp: 0, last_hw_timestamp: 3000, ntff_version: 6 }],
          summary: [{ total_time: 3e-6 }],
          instruction: [
            { ...row, timestamp: 100, opcode: 'MATMUL', operands: ' src=bf16@0x7[1,0] 128*64 ' },
          ],
          dma: [
            {
              timestamp: 1000,
              duration: 900,
              dma_engine: '0',
              dma_queue: '1',
              transfer_size: 64,
              variable: 'weights_7',
            },
          ],
        }),
      ),
    )
    for (const [track, at, ...texts] of [
      ['PE', 300n, 'MATMUL', '/Net/mlp', 'src=bf16@0x7[1,0] 128*64'],
      ['DMA 0 queue 1', 1400n, 'queue 1', 'weights_7'],
    ]) {
      const { x, y } = await pointOf(page, track, at * 1000n)
      await page.mouse.move(x, y)
      await page
        .locator('.hovercard')
        .filter({ hasText: texts.at(-1) })
        .waitFor()
      const said = await page.locator('.hovercard').textContent()
      for (const text of texts) assert.ok(said.includes(text), text + ' is not in ' + said)
    }
  },
)

view.test(
  'T19 T20 hovering says window, hierarchy and instruction; Details has every column of the row',
  async () => {
    const page = await openProfile(view.url)
    const row = (await csvOf(SYNTHETIC)).find(one => one.name === 'fusion.15' && one.step === '1')
    const middle = psOf(row.start_ns) + psOf(row.duration_ns) / 2n
    const { x, y } = await pointOf(page, 'XLA Ops', middle, 1)
    await page.mouse.move(x, y)
    const card = page.locator('.hovercard')
    await card.filter({ hasText: row.framework_op }).waitFor()
    const said = await card.textContent()
    const nsText = ps => (Number(ps) / 1000).toLocaleString('en', { maximumFractionDigits: 3 }),
      start = psOf(row.start_ns),
      end = start + psOf(row.duration_ns)
    assert.ok(said.includes(nsText(start) + ' – ' + nsText(end) + ' ns'), said)
    const hovered = [
      'fusion.15',
      nsText(start),
      nsText(end),
      '541 us',
      'convolution fusion',
      'XLA Ops',
      row.framework_op,
    ]
    for (const text of hovered) assert.ok(said.includes(text), text + ' is not in ' + said)
    await page.mouse.click(x, y)
    await page.locator('.event-name', { hasText: 'fusion.15' }).waitFor()
    const fields = await fieldsOf(page)
    assert.equal(psOf(fields.start.replace(' ns', '')), psOf(row.start_ns))
    assert.ok(
      fields.duration.startsWith(
        Number(row.duration_ns).toLocaleString('en', { maximumFractionDigits: 3 }),
      ),
    )
    const details = await page.locator('.widget-details').textContent()
    for (const text of hovered)
      assert.ok(details.includes(text), text + ' is hovered, and not in Details')
    for (const key of ['name', 'process', 'thread']) assert.ok(details.includes(row[key]), key)
    // The track has its names above; a time may stand there in ns.
    const others = Object.entries(row).filter(
      ([key, value]) => value && !/^(name|process|thread|track|start_ns|duration_ns)$/.test(key),
    )
    assert.ok(others.length > 15, String(others.length))
    for (const [key, value] of others)
      assert.ok(
        (fields[key] ?? '').includes(value) ||
          (/^-?\d+$/.test(value) && psOf((fields[key] ?? '0').split(' ')[0]) === BigInt(value)),
        key + ': ' + fields[key] + ' is not ' + value,
      )
    await shot(page, 'details')
  },
)

view.test('T19 all that a bar says is beside the pointer within 100 ms', async () => {
  const page = await openProfile(view.url),
    bars = (await spansOf(SYNTHETIC))
      .filter(
        span =>
          span.process === '/device:TPU:0' &&
          /^fusion/.test(span.name) &&
          span.duration > 300000000n,
      )
      .slice(0, 8)
  await page.locator('.timeline').evaluate(timeline => {
    // By the clock of the page: from the event of the mouse to the frame in which the window of the bar is there.
    globalThis.waits = []
    let moved = 0
    timeline.querySelector('.over').addEventListener(
      'pointermove',
      () => {
        moved ||= performance.now()
      },
      true,
    )
    globalThis.again = () => {
      moved = 0
    }
    new MutationObserver(() => {
      if (moved && timeline.querySelector('.hovercard:not([hidden]) .figures'))
        requestAnimationFrame(() => {
          if (moved) globalThis.waits.push(performance.now() - moved)
          moved = 0
        })
    }).observe(timeline.querySelector('.hovercard'), {
      childList: true,
      subtree: true,
      attributes: true,
    })
  })
  for (const [i, span] of bars.entries()) {
    await page.mouse.move(5, 5)
    await page.locator('.hovercard').waitFor({ state: 'hidden' })
    await page.evaluate(() => globalThis.again())
    const { x, y } = await pointOf(page, 'XLA Ops', (span.start + span.end) / 2n, 1)
    await page.mouse.move(x, y)
    await until(
      'the card',
      async () => (await page.evaluate(() => globalThis.waits.length)) === i + 1,
    )
  }
  // Other processes may have the machine for a while, but not each time.
  const waits = await page.evaluate(() => globalThis.waits.sort((a, b) => a - b))
  assert.ok(bars.length >= 5 && waits[Math.floor(waits.length / 4)] <= 100, waits.join())
})

view.test(
  'the ruler calls 0 what people choose: Unix time, a step, a marker; Details has the time of the command line besides, and the link keeps it',
  async () => {
    const page = await openProfile(view.url),
      zero = page.getByLabel('Zero of the ruler'),
      row = (await csvOf(SYNTHETIC, ['name', 'step', 'thread', 'start_ns'])).find(
        one => one.name === 'fusion.15' && one.step === '1' && one.thread === 'XLA Ops',
      )
    await ask(page, 'name=fusion.15 track="XLA Ops" start=' + row.start_ns + 'ns')
    await page.locator('.event-name', { hasText: 'fusion.15' }).waitFor()
    const start = psOf(row.start_ns),
      startsAt = async (one, t) =>
        until(
          'its start ' + t,
          async () => psOf((await fieldsOf(one)).start.replace(' ns', '')) === t,
        )
    await startsAt(page, start)
    assert.ok(!("start from nprof's origin" in (await fieldsOf(page))))
    // The sample was recorded from 2025-01-01 00:00:00.25 on.
    const unix = BigInt(Date.UTC(2025, 0, 1)) * 1000000000n + 250000000000n
    await zero.selectOption('UTC, as Unix time')
    await startsAt(page, unix + start)
    assert.equal(
      psOf((await fieldsOf(page))["start from nprof's origin"].replace(' ns', '')),
      start,
    )
    await ask(page, '@' + (unix + start) / 1000n + '..' + (unix + start + 1000000n) / 1000n)
    await until('the window', async () => {
      const { t0, t1 } = await windowOf(page)
      return (
        t0 === ((unix + start) / 1000n) * 1000n &&
        t1 === ((unix + start + 1000000n) / 1000n) * 1000n
      )
    })
    const { start_ps: first } = (await table('steps', SYNTHETIC)).find(
        one => one.step === '1' && one.device === '/device:TPU:0',
      ),
      step = BigInt(first)
    await page.getByRole('button', { name: 'Its step' }).click()
    await page.locator('.widget-details h2', { hasText: 'Step 1' }).waitFor()
    await startsAt(page, unix + step)
    await zero.selectOption('start of step 1')
    await startsAt(page, 0n)
    await page.waitForURL(/[?&]z=step:1/)
    const other = await openProfile(page.url(), {})
    await startsAt(other, 0n)
    assert.equal(
      await other.getByLabel('Zero of the ruler').locator('option:checked').textContent(),
      'start of step 1',
    )
    // Without the step that is selected its name is enough; one that is not there is said.
    const bare = await openProfile(view.url + '?z=step:1', {})
    await until('the window', async () => (await windowOf(bare)).t0 < -step + 3000000000n)
    const none = await openProfile(view.url + '?z=step:77', {})
    await none.locator('[data-say]', { hasText: 'no step 77' }).waitFor({ state: 'attached' })
    await page.keyboard.press('m')
    await zero.selectOption('Marker 1')
    await page.waitForURL(/[?&]z=marker:/)
    const marked = psOf(new URL(page.url()).searchParams.get('z').replace('marker:', ''))
    await startsAt(page, step - marked)
    await page.reload()
    await startsAt(page, step - marked)
  },
)

view.test('T21 arrows are listed and followed, . and , go along the track', async () => {
  const page = await openProfile(view.url)
  await clickEvent(page, 'XLA Modules', 4000000000n, 'jit_train_step')
  const details = page.locator('.widget-details')
  await details.getByText(/Depends on \d/).waitFor()
  const listed = async title =>
    (
      await details
        .locator('details', { hasText: title })
        .locator('li')
        .evaluateAll(all =>
          all.map(
            one =>
              one.querySelector('a').title + // whole
              ' on ' +
              one.querySelector('span').textContent.split(' · ')[0],
          ),
        )
    ).sort()
  assert.deepEqual(await listed('Depends on'), ['PjRtExecutable::Execute on /host:CPU › python'])
  // By ids of flows, as csv has them.
  const flows = (
      await csvOf(SYNTHETIC, ['kind', 'name', 'process', 'thread', 'start_ns', 'flow'])
    ).filter(row => row.kind === 'flow'),
    { flow } = flows.find(
      row =>
        row.thread === 'XLA Modules' &&
        row.process === '/device:TPU:0' &&
        row.start_ns === '3000000',
    )
  const partners = flows
    .filter(row => row.flow === flow && row.process !== '/host:CPU')
    .map(row => row.name + ' on ' + row.process + ' › ' + row.thread)
    .sort()
  assert.deepEqual([partners.length, flows.filter(row => row.flow === flow).length], [1, 2])
  // The row of the peer is out of sight until the key leads there.
  const inSight = async name => {
    if (!(await rowOf(page, name).count())) return false // rows far away are not made
    const [row, rows] = [
      await rowOf(page, name).boundingBox(),
      await page.locator('.timeline .scroll').boundingBox(),
    ]
    return row !== null && row.y >= rows.y - 1 && row.y + row.height <= rows.y + rows.height + 1
  }
  await page.setViewportSize({ width: 1440, height: 600 })
  await drawn(page)
  await page.locator('.timeline .scroll').evaluate(element => {
    element.scrollTop = 0
  })
  assert.ok(!(await inSight('python')))
  await page.keyboard.press('[')
  await details.locator('.event-name', { hasText: 'PjRtExecutable::Execute' }).waitFor()
  await until('its row', () => inSight('python'))
  await until(
    'what needs it',
    async () => String(await listed('Needed by')) === String(partners),
  ).catch(async error => {
    throw new Error(error.message + ': ' + (await listed('Needed by')))
  })
  await page.keyboard.press(']')
  await details.locator('.event-name', { hasText: 'jit_train_step' }).waitFor()
  const start = (await fieldsOf(page)).start
  await page.keyboard.press('.')
  await until('the next event', async () => (await fieldsOf(page)).start !== start)
  await page.keyboard.press(',')
  await until('the first event', async () => (await fieldsOf(page)).start === start)
  assert.match(await page.locator('[data-say]').textContent(), /selected jit_train_step/)
})

view.test('T22 what runs at the same time is counted, with its name and for how long', async () => {
  // From 100 to 200 us runs "one": four others run within that, and two end or begin where it does not run.
  const spans = {
    one: [100, 100],
    begins: [50, 100],
    within: [150, 20],
    around: [0, 300],
    ends: [199, 41],
    before: [0, 100],
    behind: [200, 10],
  }
  const file = put('beside.json', {
    traceEvents: Object.entries(spans).map(([name, [ts, dur]], tid) => ({
      ph: 'X',
      pid: 1,
      tid: tid + 1,
      ts,
      dur,
      name,
    })),
  })
  const page = await openProfile(await view.add(file)),
    box = page.locator('details', { hasText: 'At the same time' })
  await ask(page, 'name=one')
  await box.locator('summary', { hasText: /^At the same time 4 \(171 us\)$/ }).waitFor()
  const listed = await box
    .locator('li')
    .evaluateAll(all =>
      all.map(one => [
        one.querySelector('a').textContent.trim(),
        / · (\S+ ns · \S+ %)$/.exec(one.textContent.trim())?.[1],
      ]),
    )
  assert.deepEqual(listed.sort(), [
    ['around', '100,000 ns · 100.0 %'],
    ['begins', '50,000 ns · 50.0 %'],
    ['ends', '1,000 ns · 1.0 %'],
    ['within', '20,000 ns · 20.0 %'],
  ])
})

view.test(
  'T22 C16 what overlaps on the track of an event is among what ran at the same time; what is around it and below it is not',
  async () => {
    const spans = {
      around: [0, 300], // holds all of them
      one: [100, 100],
      below: [110, 50],
      deeper: [120, 20],
      next: [190, 40], // overlaps the end of one
      held: [192, 6], // hangs below next, and lies within one
      behind: [240, 10],
    }
    const file = put('one-track.json', {
      traceEvents: Object.entries(spans).map(([name, [ts, dur]]) => ({
        ...{ ph: 'X', pid: 1, tid: 1, ts, dur, name },
      })),
    })
    const page = await openProfile(await view.add(file)),
      box = page.locator('details', { hasText: 'At the same time' })
    const beside = async name => {
      await ask(page, 'name=' + name)
      await page.locator('.event-name', { hasText: new RegExp('^' + name + '$') }).waitFor()
      return (await box.locator('li a').allTextContents()).sort()
    }
    assert.deepEqual(await beside('one'), ['held', 'next'])
    assert.deepEqual(await beside('next'), ['one'])
    assert.deepEqual(await beside('held'), ['one'])
    assert.deepEqual(await beside('around'), [])
    assert.deepEqual(await beside('deeper'), [])
  },
)

view.test('T29 filter, pin, hide, fold and a link keep the rows', async () => {
  const page = await openProfile(view.url)
  await page.locator('.filter').fill('XLA* -Modules')
  await until(
    'fewer rows',
    async () =>
      (await rowOf(page, 'Steps').count()) === 0 && (await rowOf(page, 'XLA Ops').count()) > 0,
  )
  assert.equal(await rowOf(page, 'XLA Modules').count(), 0)
  await page.locator('.filter').fill('')
  await rowOf(page, 'Steps').hover()
  await rowOf(page, 'Steps').getByTitle('Pin to the top').click()
  await page.locator('.pinned-tree .row').waitFor()
  await rowOf(page, 'HFU').hover()
  await rowOf(page, 'HFU').getByTitle('Hide').click()
  await rowOf(page, '/device:TPU:1').locator('.fold').first().click()
  await until('the address', async () =>
    /tr=.*p:[0-9a-f]{8}.*h:[0-9a-f]{8}.*f:[0-9a-f]{8}/.test(page.url()),
  )
  const names = () => page.locator('.row .name').allTextContents()
  const before = await names()
  await page.reload()
  await page.locator('.pinned-tree .row').waitFor()
  await until('the same rows', async () => JSON.stringify(await names()) === JSON.stringify(before))
  // Alt and an arrow move a row among those of its heading, and the link keeps that.
  await page.keyboard.press('Shift+h')
  await rowOf(page, 'XLA Ops').focus()
  const order = async () =>
    (await page.locator('.tree .row .name').allTextContents())
      .map(name => name.trim())
      .filter(name => /^XLA/.test(name))
      .slice(0, 2)
  assert.deepEqual(await order(), ['XLA Modules', 'XLA Ops'])
  await page.keyboard.press('Alt+ArrowUp')
  await until('the moved row', async () => String(await order()) === 'XLA Ops,XLA Modules')
  await until('the address', async () => /o:[0-9a-f]{8}/.test(page.url()))
  await page.reload()
  await until('the moved row again', async () => String(await order()) === 'XLA Ops,XLA Modules')
})

view.test('T29 each tool of a row has a sign that a font here draws', async () => {
  const page = await openProfile(view.url)
  const boxes = await page.locator('.tree .row .tool').evaluateAll(tools => {
    const canvas = new OffscreenCanvas(24, 24),
      context = canvas.getContext('2d')
    context.font = '12px ' + getComputedStyle(tools[0]).fontFamily
    const drawn = text => {
      context.clearRect(0, 0, 24, 24)
      context.fillText(text, 4, 18)
      return String(context.getImageData(0, 0, 24, 24).data)
    }
    const missing = drawn('\u{10fffe}') // no character at all
    const texts = [...new Set(tools.map(tool => tool.textContent))]
    return [texts.length, texts.filter(text => drawn(text) === missing)]
  })
  assert.ok(boxes[0] >= 5)
  assert.deepEqual(boxes[1], [])
})

view.test('T29 a filter that fits a device keeps its rows', async () => {
  const page = await openProfile(view.url),
    spans = await spansOf(SYNTHETIC),
    threads = [
      ...new Set(spans.filter(one => one.process === '/device:TPU:1').map(one => one.thread)),
    ],
    others = [...new Set(spans.filter(one => one.process === '/host:CPU').map(one => one.thread))]
  assert.ok(threads.includes('XLA Modules') && others.length > 0)
  const counts = names => Promise.all(names.map(name => rowOf(page, name).count()))
  await page.locator('.filter').fill('TPU:1')
  await until(
    'the rows of the device alone',
    async () =>
      (await counts(threads)).every(count => count === 1) &&
      (await counts(['/host:CPU', '/device:TPU:0', ...others])).every(count => count === 0),
  )
  await page.locator('.filter').fill('TPU:1 -Modules')
  await until(
    'all but a word with a minus',
    async () => (await rowOf(page, 'XLA Modules').count()) === 0,
  )
  assert.equal(await rowOf(page, 'XLA Ops').count(), 1)
})

view.test(
  'T29 a row is made higher, coloured, dragged above another, shown alone, and selected by its box; the link keeps that',
  async () => {
    const page = await openProfile(view.url),
      tool = async (row, name) => {
        await rowOf(page, row).hover()
        await rowOf(page, row).getByTitle(name).click()
      }
    const high = async (one, row) => (await rowOf(one, row).boundingBox()).height,
      low = await high(page, 'XLA Modules')
    const colourIn = async one => {
      const { x, y } = await pointOf(one, 'XLA Modules', 8000000000n)
      return colourAt(one.locator('.timeline .bars'), { x, y: y - 5 })
    }
    const old = await colourIn(page)
    for (const times of [2, 4]) {
      await tool('XLA Modules', 'Height')
      await until(
        times + ' times',
        async () => (await high(page, 'XLA Modules')) > (times - 0.7) * 18,
      )
    }
    await tool('XLA Modules', 'Colour of the row')
    await page.mouse.move(5, 5)
    await until('another colour', async () => (await colourIn(page)) !== old)
    // What is dragged stands above what it is dropped on.
    const order = one =>
      one
        .locator('.tree .row .name')
        .allTextContents()
        .then(all => all.map(name => name.trim()).slice(1, 4))
    assert.deepEqual(await order(page), ['Steps', 'XLA Modules', 'XLA Ops'])
    await rowOf(page, 'XLA Modules').dragTo(rowOf(page, 'Steps'), {
      sourcePosition: { x: 30, y: 12 },
      targetPosition: { x: 30, y: 12 },
    })
    await until('the order', async () => String(await order(page)) === 'XLA Modules,Steps,XLA Ops')
    await rowOf(page, 'XLA Modules').getByLabel('Select XLA Modules').click()
    await page.locator('.widget-details h2', { hasText: 'Area' }).waitFor()
    const { tracks, start, end } = await fieldsOf(page),
      whole = await spansOf(SYNTHETIC)
    assert.equal(tracks, '/device:TPU:0 › XLA Modules')
    assert.ok(
      psOf(start.split(' ')[0]) <=
        whole.reduce((low, span) => (span.start < low ? span.start : low), whole[0].start) &&
        psOf(end.split(' ')[0]) >=
          whole.reduce((high, span) => (span.end > high ? span.end : high), 0n),
    )
    await page.waitForURL(
      url =>
        /4:[0-9a-f]{8}/.test(url.searchParams.get('tr')) &&
        /c0:[0-9a-f]{8}/.test(url.searchParams.get('tr')) &&
        /o:/.test(url.searchParams.get('tr')) &&
        url.searchParams.has('a'),
    )
    const other = await openProfile(page.url(), {})
    await other.mouse.move(5, 5)
    await until(
      'the same there',
      async () =>
        (await high(other, 'XLA Modules')) === (await high(page, 'XLA Modules')) &&
        (await colourIn(other)) === (await colourIn(page)) &&
        String(await order(other)) === 'XLA Modules,Steps,XLA Ops',
    )
    await tool('XLA Modules', 'Height')
    await until('low again', async () => (await high(page, 'XLA Modules')) === low)
    await tool('XLA Ops', 'Only this')
    await until('its rows alone', async () => {
      const names = await page.locator('.tree .row[aria-level="2"] .name').allTextContents()
      return names.length > 0 && names.every(name => name.trim() === 'XLA Ops')
    })
  },
)

view.test(
  'a drag zooms and Shift selects, or the other way as in Perfetto, which the browser keeps',
  async () => {
    const page = await openProfile(view.url),
      from = await pointOf(page, 'XLA Ops', 10000000000n, 1),
      to = await pointOf(page, 'XLA Ops', 12000000000n, 1),
      old = await windowOf(page)
    const isArea = async () =>
        (await page.locator('.widget-details h2', { hasText: 'Area' }).count()) === 1,
      isZoomed = async () => (await windowOf(page)).t0 !== old.t0
    await ask(page, '>mouse: swap')
    await until(
      'its sentence',
      async () => (await page.locator('[data-say]').textContent()) === 'mouse as in perfetto',
    )
    await page.reload()
    await page.locator('.timeline .row').first().waitFor()
    await rest(page)
    await drag(page, from, to)
    await until('an area', isArea)
    assert.ok(!(await isZoomed()))
    await page.keyboard.press('Escape')
    await drag(page, from, to, { keys: ['Shift'] })
    await until('a zoom', isZoomed)
    assert.ok(!(await isArea()))
  },
)

view.test(
  'T57 a state too long for an address has a short link, which leads to all of it',
  async () => {
    const page = await openProfile(view.url, { permissions: ['clipboard-read', 'clipboard-write'] })
    await ask(page, 'category="convolution fusion" kind=span')
    await page.locator('.hits', { hasText: /^\d/ }).click()
    await page.locator('.widget-search').getByRole('button', { name: 'Mark' }).click()
    await page.waitForURL(url => url.href.length > 1900)
    await page.locator('.timeline .over').focus()
    await page.keyboard.press('y')
    const link = await until('the link', async () => {
      const text = await page.evaluate(() => navigator.clipboard.readText())
      return /\/v\//.test(text) && text
    })
    assert.match(link, /^http:\/\/localhost:\d+\/v\/[\w-]{10}$/)
    const other = await openProfile(link, {})
    for (const part of ['m', 'q'])
      await until(
        part,
        () =>
          new URL(other.url()).searchParams.get(part) ===
          new URL(page.url()).searchParams.get(part),
      )
    assert.equal(
      JSON.parse(new URL(other.url()).searchParams.get('m')).markers.length,
      (await csvOf(SYNTHETIC, ['kind', 'category'], '-a', 'fusion')).filter(
        row => row.kind === 'span' && row.category === 'convolution fusion',
      ).length,
    )
  },
)

/** The row of a track below a heading, as it lies on the screen. */
async function partedRow(page, heading, track) {
  const id = await page.locator('.tree').evaluate(
    (tree, [heading, track]) => {
      const nameOf = row => row.querySelector('.name').textContent.trim(),
        rows = [...tree.querySelectorAll('.row')].sort(
          (a, b) => parseFloat(a.style.top) - parseFloat(b.style.top),
        )
      const from = rows.findIndex(row => row.ariaLevel === '1' && nameOf(row) === heading),
        end = rows.findIndex((row, i) => i > from && row.ariaLevel === '1')
      return from < 0
        ? null
        : (rows.slice(from, end < 0 ? rows.length : end).find(row => nameOf(row) === track)?.id ??
            null)
    },
    [heading, track],
  )
  return id && page.locator('#' + id)
}

/** A point of the screen in such a row. */
async function partedPoint(page, heading, track, t, lane = 0) {
  const row = await until(heading + ' ' + track, () => partedRow(page, heading, track)),
    { t0, t1 } = await windowOf(page)
  await scrollTo(row)
  const [box, canvas] = [
    await row.boundingBox(),
    await page.locator('.timeline .over').boundingBox(),
  ]
  return {
    x: canvas.x + (Number(t - t0) / Number(t1 - t0)) * canvas.width,
    y: box.y + 10 + lane * 18,
  }
}

const headings = page => page.locator('.tree .row[aria-level="1"] .name').allTextContents()
const OPS = '/device:TPU:0 › XLA Ops'

view.test(
  'T29 rows by step: each event lies below its step and can be clicked there, and nowhere else',
  async () => {
    const page = await openProfile(view.url),
      rows = await csvOf(SYNTHETIC, [
        'kind',
        'process',
        'thread',
        'name',
        'step',
        'start_ns',
        'duration_ns',
      ])
    await page.setViewportSize({ width: 1440, height: 2400 }) // rows out of sight are not in the tree
    const ofStep = step =>
      rows
        .filter(
          row =>
            row.kind === 'span' &&
            row.process === '/device:TPU:0' &&
            row.thread === 'XLA Ops' &&
            row.name === 'fusion.15' &&
            row.step === step,
        )
        .map(row => ({
          start: psOf(row.start_ns),
          end: psOf(row.start_ns) + psOf(row.duration_ns),
        }))
    await choose(page, 'Group by', 'step')
    await until('steps', async () => (await headings(page)).includes('step 1'))
    const known = [
      ...new Set(rows.filter(row => row.step !== '').map(row => Number(row.step))),
    ].sort((a, b) => a - b)
    assert.deepEqual(
      (await headings(page)).filter(name => /^step/.test(name)),
      known.map(step => 'step ' + step),
    )
    await rest(page)
    await shot(page, 'grouped-step')
    const middle = one => (one.start + one.end) / 2n,
      second = ofStep('1')[2],
      lane = 1
    const name = page.locator('.widget-details .event-name')
    const { x, y } = await partedPoint(page, 'step 1', OPS, middle(second), lane)
    await page.mouse.click(x, y)
    await name.filter({ hasText: 'fusion.15' }).waitFor()
    assert.deepEqual(
      [(await fieldsOf(page)).step, psOf((await fieldsOf(page)).start.split(' ')[0])],
      ['1', second.start],
    )
    // Its outline is drawn there, and below another step there is neither it nor its outline.
    const edge = await partedPoint(page, 'step 1', OPS, second.start, lane),
      over = page.locator('.timeline .over')
    const isOutlined = async at => {
      const colours = await Promise.all(
        [-1, 0, 1].map(by => colourAt(over, { x: at.x + by, y: at.y })),
      )
      return colours.some(colour => Number(colour.split(',')[3]) > 100)
    }
    await page.mouse.move(5, 5)
    await until('the outline', () => isOutlined(edge))
    const other = await partedPoint(page, 'step 0', OPS, second.start, lane)
    assert.ok(!(await isOutlined(other)))
    await page.keyboard.press('Escape')
    await name.waitFor({ state: 'detached' })
    await page.mouse.click(
      (await partedPoint(page, 'step 0', OPS, middle(second), lane)).x,
      other.y,
    )
    await drawn(page)
    assert.equal(await name.count(), 0)
    // What a search finds is unfolded and outlined below its own step.
    await page.keyboard.press('e')
    await until(
      'folded',
      async () => (await page.locator('.tree .row[aria-level="2"]').count()) === 0,
    )
    await ask(page, 'name=fusion.15 start>16ms')
    await name.filter({ hasText: 'fusion.15' }).waitFor()
    const found = await fieldsOf(page)
    assert.equal(found.step, '2')
    await until('its row', () => partedRow(page, 'step 2', OPS))
    assert.equal(await partedRow(page, 'step 1', OPS), null)
  },
)

view.test(
  'T29 rows by layer and by category: fold, filter, pin and a link keep them; g goes through the groupings',
  async () => {
    const page = await openProfile(view.url),
      rows = await csvOf(SYNTHETIC, ['kind', 'category', 'framework_op'])
    await page.setViewportSize({ width: 1440, height: 2400 })
    const categories = new Set(
      rows
        .filter(row => row.kind !== 'flow' && row.kind !== 'fact' && row.category)
        .map(row => row.category),
    )
    await page.locator('.timeline .over').focus()
    for (const by of ['process', 'category']) {
      await page.keyboard.press('g')
      assert.equal(await chosen(page, 'Group by'), by)
    }
    await until('categories', async () => {
      const shown = await headings(page)
      return [...categories].every(one => shown.includes(one))
    })
    await rest(page)
    await shot(page, 'grouped-category')
    await page.keyboard.press('g')
    await until('layers', async () => (await headings(page)).includes('layers/mlp'))
    const layers = (await table('layers', SYNTHETIC)).map(row => row.layer),
      shown = await headings(page)
    assert.deepEqual(
      [shown.slice(0, -1).sort(), shown.at(-1)],
      [[...new Set(layers)].sort(), 'no layer'],
    )
    await rest(page)
    await shot(page, 'grouped-layer')
    const filter = page.getByLabel('Filter rows')
    await filter.fill('mlp')
    await until('the filter', async () => String(await headings(page)) === 'layers/mlp')
    await page.locator('.tree .row[aria-level="2"]').first().hover()
    await page.locator('.tree .row[aria-level="2"]').first().getByTitle('Pin to the top').click()
    await page.locator('.pinned-tree .name', { hasText: 'layers/mlp › XLA Ops' }).waitFor()
    await page.locator('.tree .row[aria-level="1"]').first().locator('.fold').click()
    await until(
      'the address',
      async () =>
        /[?&]tr=.*p:[0-9a-f]{8}.*f:[0-9a-f]{8}/.test(page.url()) &&
        /g=layer/.test(page.url()) &&
        /f=mlp/.test(page.url()),
    )
    const other = await openProfile(page.url(), {})
    await until('the same rows', async () => String(await headings(other)) === 'layers/mlp')
    assert.equal(await other.locator('.tree .row[aria-level="2"]').count(), 0)
    assert.equal(
      await other.locator('.pinned-tree .name').textContent(),
      await page.locator('.pinned-tree .name').textContent(),
    )
  },
)

view.test('a profile without layers says what is needed, and shows all rows', async () => {
  const page = await openProfile(
    await view.add(
      put('plain.json', {
        traceEvents: [0, 1, 2].map(i => ({
          ph: 'X',
          pid: 1,
          tid: 1,
          ts: 10 * i,
          dur: 5,
          name: 'n' + i,
        })),
      }),
    ),
  )
  await choose(page, 'Group by', 'layer')
  const heading = page.locator('.tree .row[aria-level="1"][title*="unknown: needs layers"]'),
    said = page.locator('[data-say]', { hasText: 'unknown: needs layers' })
  await heading.waitFor()
  await said.waitFor({ state: 'attached' })
  // The sentence stands beside it, too.
  const { y } = await heading.boundingBox(),
    { x } = await page.locator('.timeline .over').boundingBox(),
    bars = page.locator('.timeline .bars')
  await until(
    'the sentence',
    async () =>
      new Set(
        await Promise.all(
          Array.from({ length: 40 }, (_, i) => colourAt(bars, { x: x + 10 + i, y: y + 12 })),
        ),
      ).size > 2,
  )
  await page.locator('.tree .row[aria-level="2"]').first().waitFor()
})

view.test('T29 an arrow goes from a pinned row to one that is not', async () => {
  const page = await openProfile(view.url),
    over = page.locator('.timeline .over')
  await layout(page, 'Timeline')
  await rowOf(page, 'python').hover()
  await rowOf(page, 'python').getByTitle('Pin to the top').click()
  await page.locator('.pinned-tree .row').waitFor()
  await over.hover()
  await page.mouse.wheel(0, -9999) // the row that was pinned stands at the end
  await clickEvent(page, 'XLA Modules', 4000000000n, 'jit_train_step')
  await page
    .locator('.widget-details')
    .getByText(/Depends on \d/)
    .waitFor()
  await page.mouse.move(5, 5)
  // Between both rows nothing but arrows is drawn over the bars.
  const [pinned, row] = [
    await page.locator('.pinned-tree').boundingBox(),
    await rowOf(page, 'XLA Modules').boundingBox(),
  ]
  const drawnBetween = () =>
    over.evaluate(
      (canvas, [from, to]) => {
        const top = canvas.getBoundingClientRect().top,
          { data } = canvas
            .getContext('2d')
            .getImageData(0, Math.ceil(from - top), canvas.width, Math.floor(to - from))
        return data.some((value, i) => i % 4 === 3 && value > 100)
      },
      [pinned.y + pinned.height + 2, row.y - 4],
    )
  await until('the arrow', drawnBetween)
  await page.keyboard.press('Escape')
  await until('no arrow', async () => !(await drawnBetween()))
})

view.test(
  'overlays are shown and hidden: starts of steps, and hits of the search; the address keeps that',
  async () => {
    const page = await openProfile(view.url),
      wide = await page.locator('.timeline .over').evaluate(canvas => canvas.width)
    const steps = (await table('steps', SYNTHETIC)).map(step => ({
        t: BigInt(step.start_ps),
        device: step.device,
      })),
      hits = (await spansOf(SYNTHETIC)).filter(
        span =>
          span.name === 'fusion.15' &&
          span.process === '/device:TPU:0' &&
          span.thread === 'XLA Ops',
      )
    await ask(page, 'name=fusion.15')
    await page.locator('.event-name', { hasText: 'fusion.15' }).waitFor()
    await page.getByRole('button', { name: 'Findings', exact: true }).click()
    await page.locator('.timeline .over').focus()
    await page.keyboard.press('0')
    await page.mouse.move(5, 5)
    const alphaAt = async (canvas, t, row, lane) => {
      const { x, y } = await pointOf(page, row, t, lane),
        colours = await Promise.all(
          [-1, 0, 1].map(by => colourAt(page.locator('.timeline .' + canvas), { x: x + by, y })),
        )
      return Math.max(...colours.map(colour => Number(colour.split(',')[3])))
    }
    // The heading of a device has no bars, but the steps of its own, and a hit is outlined at its left edge.
    const share = alphas =>
      alphas.every(alpha => alpha > 100)
        ? 'all'
        : alphas.some(alpha => alpha > 100)
          ? 'some'
          : 'none'
    const seen = async () =>
      [
        share(await Promise.all(steps.map(({ t, device }) => alphaAt('bars', t, device, 0)))),
        share(await Promise.all(hits.map(hit => alphaAt('over', hit.start, 'XLA Ops', 1)))),
      ].join()
    assert.ok(wide > 500 && steps.length > 3 && hits.length > 5)
    await choose(page, 'Over the bars', 'gaps') // which are drawn in headings, too
    await until('both', async () => (await seen()) === 'all,all')
    await choose(page, 'Over the bars', 'steps')
    await until('no steps', async () => (await seen()) === 'none,all')
    await choose(page, 'Over the bars', 'hits')
    await until('none', async () => (await seen()) === 'none,none')
    await page.waitForURL(/overlays\.hits/)
    await page.reload()
    await page.locator('.timeline .row').first().waitFor()
    await until('none again', async () => (await seen()) === 'none,none')
  },
)

view.test(
  'busy of a track is of the span of its device, as in tables devices and engines; no figure has it where the bar is of a step',
  async () => {
    const page = await openProfile(view.url),
      devices = await table('devices', SYNTHETIC),
      engines = await table('engines', SYNTHETIC)
    await page.setViewportSize({ width: 1440, height: 2400 }) // rows out of sight are not in the tree
    await drawn(page)
    const figures = await page
      .locator('.timeline .row .busy[title^="busy for"]')
      .evaluateAll(all =>
        all.map(one => [
          one.closest('.row').querySelector('.name').textContent.trim(),
          one.textContent.trim(),
          one.title,
        ]),
      )
    const shown = name => figures.filter(one => one[0] === name).map(one => one[1])
    for (const [name, share, of] of [
      ...devices.map(one => [one.device, Number(one.busy_ps) / Number(one.span_ps), 'its span']),
      ...engines.map(one => [one.engine, Number(one.share), 'the span of its device']),
    ]) {
      const wanted = share < 0.001 ? '<0.1 %' : (share * 100).toFixed(1) + ' %'
      assert.ok(shown(name).includes(wanted), name + ': ' + shown(name) + ', not ' + wanted)
      assert.ok(
        figures.some(one => one[0] === name && one[2].includes(' of ' + of + ', ')),
        name,
      )
    }
    assert.ok(shown('/device:TPU:0').length === 1 && shown('XLA Ops').length >= 1)
    await page.locator('.step-stack').waitFor()
    assert.equal(await page.locator('.figure-list dt', { hasText: /^(busy|exposed)$/ }).count(), 0)
  },
)

view.test(
  'overlays on demand: events above p99 and twice the median of their name, and the critical path of the run',
  async () => {
    // Of 200 events p99 lies next to the 198th, of 15 us; twice the median is 20 us.
    const lengths = Array.from({ length: 200 }, (_, i) => ({ 20: 15, 90: 50, 150: 60 })[i] ?? 10),
      file = put('outliers.json', {
        traceEvents: [
          ...lengths.map((dur, i) => ({
            ph: 'X',
            pid: 1,
            tid: 1,
            ts: 100 * i,
            dur,
            name: 'often',
          })),
          ...[10, 11, 19].map((dur, i) => ({
            ph: 'X',
            pid: 1,
            tid: 2,
            ts: 1000 * i,
            dur,
            name: 'seldom',
          })),
        ],
      })
    const page = await openProfile(await view.add(file)),
      said = page.locator('[data-say]')
    const flagged = async (row, t) => {
      const { x, y } = await pointOf(page, row, t),
        colours = await Promise.all(
          [0, 1, 2].map(by => colourAt(page.locator('.timeline .over'), { x: x + by, y: y - 6 })),
        )
      return colours.some(colour => Number(colour.split(',')[3]) > 100)
    }
    const seen = async () =>
      (
        await Promise.all(
          [20, 90, 150, 170].map(i => flagged('thread 1', BigInt(100 * i) * 1000000n)),
        )
      ).join()
    await page.mouse.move(5, 5)
    await drawn(page)
    assert.equal(await seen(), 'false,false,false,false')
    await choose(page, 'Over the bars', 'outliers')
    // The longest of the others is above their p99, and not above twice their median.
    await said
      .filter({ hasText: '2 events above p99 and twice the median of their name' })
      .waitFor({ state: 'attached' })
    await until('two flags', async () => (await seen()) === 'false,true,true,false')
    await page.waitForURL(/overlays\.outliers/)
    await page.reload()
    await page.locator('.timeline .row').first().waitFor()
    await until('two flags again', async () => (await seen()) === 'false,true,true,false')
    await choose(page, 'Over the bars', 'outliers')
    await until('none', async () => (await seen()) === 'false,false,false,false')
    // The critical path lies at the foot of the bars that it goes through.
    const torch = await openProfile(
        await view.add(put('critical-overlay.pt.trace.json', torchTrace(3, 12))),
      ),
      id = torch.url().match(/n_[0-9a-f]{40}/)[0],
      base = view.server.base + '/api/v1/p/' + id,
      { gen } = await (await fetch(base)).json()
    const meta = await (await fetch(base + '/' + gen + '/meta')).json(),
      whole = `t0=${meta.start}&t1=${meta.end}`
    const path = await until('the path', async () => {
      const answer = await fetch(base + '/' + gen + '/critical?' + whole)
      return answer.status === 200 && answer.json()
    })
    // The longest segment that is in a row.
    const longest = path.segments
      .filter(one => one.row !== null)
      .reduce((most, one) =>
        BigInt(one.end) - BigInt(one.start) > BigInt(most.end) - BigInt(most.start) ? one : most,
      )
    const lane = meta.lanes.find(one => one.lane === Number(longest.row.split('.')[0])),
      { label } = meta.tracks.find(one => one.track === lane.track)
    await ask(torch, '@' + Number(longest.start) / 1000 + '..' + Number(longest.end) / 1000)
    await torch.keyboard.press('s')
    const lined = async () => {
      const { x, y } = await pointOf(
        torch,
        'thread ' + label,
        (BigInt(longest.start) + BigInt(longest.end)) / 2n,
      )
      const colours = await Promise.all(
        [4, 6, 8, 10, 12].map(by => colourAt(torch.locator('.timeline .over'), { x, y: y + by })),
      )
      return colours.some(colour => Number(colour.split(',')[3]) > 200)
    }
    await torch.mouse.move(5, 5)
    await drawn(torch)
    assert.ok(!(await lined()))
    await choose(torch, 'Over the bars', 'critical')
    await until('its line', lined)
    await choose(torch, 'Over the bars', 'critical')
    await until('no line', async () => !(await lined()))
  },
)

view.test('a counter that nprof made says that its values are means of bins', async () => {
  const page = await openProfile(view.url),
    figureOf = name =>
      page
        .locator('.timeline .row', { has: page.locator('.name', { hasText: name }) })
        .first()
        .locator('.busy'),
    figure = figureOf('Pending DMA Count')
  const values = (await csvOf(SYNTHETIC, ['kind', 'process', 'name', 'value'], '-a', 'device'))
    .filter(
      row =>
        row.kind === 'counter' &&
        row.name === 'Pending DMA Count' &&
        row.process === '/device:TPU:0',
    )
    .map(row => Number(row.value))
  // Where name and figure have no room side by side the title alone has the figure.
  assert.match(await figureOf('HFU').textContent(), /^x̄ ≤ [\d.]+ %$/)
  assert.equal((await figure.textContent()).trim(), '')
  assert.ok(
    (await figure.getAttribute('title')).startsWith(
      'means of the short times that nprof cuts the run into (bins), from 0 transfers to ' +
        Math.max(...values).toPrecision(3),
    ),
    await figure.getAttribute('title'),
  )
})

view.test(
  'counters of one unit have one axis when people ask for it, which says its range; the link keeps that',
  async () => {
    const page = await openProfile(view.url)
    // Each name is of one unit here: HFU a ratio, the other a count.
    const values = (
      await csvOf(SYNTHETIC, ['kind', 'process', 'name', 'value'], '-a', 'device')
    ).filter(row => row.kind === 'counter' && row.value !== '')
    const most = (name, ...processes) =>
      Math.max(
        ...values
          .filter(
            row => row.name === name && (!processes.length || processes.includes(row.process)),
          )
          .map(row => Number(row.value)),
      )
    const title = (one, name, nth) =>
      one
        .locator('.timeline .tree .row', { has: one.locator('.name', { hasText: name }) })
        .nth(nth)
        .locator('.busy')
        .getAttribute('title')
    const DEVICES = ['/device:TPU:0', '/device:TPU:1'],
      axisOf = async (one, name) =>
        (await Promise.all([0, 1].map(nth => title(one, name, nth)))).map(
          text => / axis (.*)$/.exec(text)[1],
        )
    const percent = value => (100 * value).toFixed(1) + ' %',
      number = value => String(Number(value.toPrecision(3)))
    await page.setViewportSize({ width: 1440, height: 1200 })
    await drawn(page)
    assert.deepEqual(
      await axisOf(page, 'HFU'),
      DEVICES.map(device => '0 to ' + percent(most('HFU', device))),
    )
    assert.notEqual(most('HFU', DEVICES[0]), most('HFU', DEVICES[1]))
    await rowOf(page, 'HFU').hover()
    const button = rowOf(page, 'HFU').getByTitle('One axis for all counters of this unit')
    await button.click()
    const common = async one => {
      await until('the axes', async () => /of 2 rows$/.test((await axisOf(one, 'HFU'))[0]))
      return [...(await axisOf(one, 'HFU')), ...(await axisOf(one, 'Pending DMA Count'))]
    }
    const wanted = [
      '0 to ' + percent(most('HFU')) + ', of 2 rows',
      '0 to ' + number(most('Pending DMA Count')) + ' transfers, of 2 rows',
    ].flatMap(text => [text, text])
    assert.deepEqual(await common(page), wanted)
    assert.equal(await button.getAttribute('aria-pressed'), 'true')
    await page.waitForURL(/timeline\.axis/)
    const other = await openProfile(page.url(), { viewport: { width: 1440, height: 1200 } })
    assert.deepEqual(await common(other), wanted)
    await ask(page, '>one axis for all')
    await until(
      'axes of their own',
      async () => (await axisOf(page, 'HFU'))[0] === '0 to ' + percent(most('HFU', DEVICES[0])),
    )
  },
)

view.test(
  'on a common axis heights are as values are, and a counter without a unit keeps its own',
  async () => {
    // GPU 0 holds up to 1 MB, GPU 1 up to 4 MB, in the second half of the run; what the file counts itself has no unit.
    const memory = (id, bytes) =>
      [
        [0, 0],
        [500, bytes],
      ].map(([ts, Bytes]) => ({
        ph: 'i',
        s: 't',
        cat: 'cpu_instant_event',
        name: '[memory]',
        pid: 100,
        tid: 1,
        ts,
        args: {
          'Total Allocated': Bytes,
          'Total Reserved': 1 << 24,
          'Device Type': 1,
          'Device Id': id,
          Addr: 4096 + 8192 * id + ts,
          Bytes,
        },
      }))
    const kernels = [0, 1].flatMap(id =>
        [0, 900].map(ts => ({
          ph: 'X',
          cat: 'kernel',
          name: 'gemm',
          pid: id,
          tid: 7,
          ts,
          dur: 100,
          args: { device: id, stream: 7 },
        })),
      ),
      counted = [
        [0, 0],
        [500, 1],
      ].map(([ts, value]) => ({ ph: 'C', name: 'own', pid: 100, ts, args: { value } }))
    const file = put('memory.pt.trace.json', {
      schemaVersion: 1,
      deviceProperties: [0, 1].map(id => ({ id, name: 'NVIDIA H100' })),
      traceEvents: [...kernels, ...[0, 1].flatMap(id => memory(id, (4 ** id) << 20)), ...counted],
    })
    const page = await openProfile(await view.add(file)),
      at = 730000000n
    /** Pixels that a row is filled at a time, from its foot. */
    const high = async (name, nth) => {
      const row = page
        .locator('.timeline .tree .row', { has: page.locator('.name', { hasText: name }) })
        .nth(nth)
      await scrollTo(row)
      const box = await row.boundingBox(),
        { x } = await pointOf(page, 'stream 7', at)
      return page.locator('.timeline .bars').evaluate(
        (canvas, { x, y, height }) => {
          const bounds = canvas.getBoundingClientRect(),
            { data } = canvas
              .getContext('2d')
              .getImageData(
                Math.round(x - bounds.left),
                Math.round(y - bounds.top),
                1,
                Math.round(height) - 3,
              )
          const top = Array.from(
            { length: data.length / 4 },
            (_, i) => data[4 * i + 3] > 60,
          ).indexOf(true)
          return top < 0 ? 0 : data.length / 4 - top
        },
        { x, y: box.y, height: box.height },
      )
    }
    const heights = async () => [
      await high('Device Memory', 0),
      await high('Device Memory', 1),
      await high('own', 0),
    ]
    await page.mouse.move(5, 5)
    const own = await until('heights', async () => {
      const all = await heights()
      return all.every(one => one > 20) && all
    })
    assert.ok(Math.abs(own[0] - own[1]) <= 1, own.join())
    await ask(page, '>one axis for all')
    await page.mouse.move(5, 5)
    const common = await until('other heights', async () => {
      const all = await heights()
      return all[0] < own[0] && all
    })
    assert.ok(Math.abs(common[0] - own[0] / 4) <= 2, common + ' of ' + own)
    assert.deepEqual(common.slice(1), own.slice(1))
    await shot(page, 'common-axis')
  },
)

view.test(
  'counters of the selection have their least and greatest value and their mean over time, as the rows of csv say',
  async () => {
    const page = await openProfile(view.url)
    await openTab(page, 'Selection')
    await scopeTo(page, 'window')
    await ask(page, '@5000000..9000000')
    await rest(page)
    const grid = page.getByRole('grid', { name: 'Counters of the selection' }),
      row = grid.locator('tbody tr', { hasText: 'HFU' }).first()
    await row.waitFor()
    const shown = Object.fromEntries(
      await row
        .locator('td')
        .evaluateAll(cells =>
          cells.map(cell => [
            cell.dataset.column,
            cell.querySelector('[title]')?.title || cell.textContent.trim(),
          ]),
        ),
    )
    const { t0, t1 } = await windowOf(page),
      all = await csvOf(
        SYNTHETIC,
        ['kind', 'process', 'name', 'start_ns', 'value', 'duration_ns'],
        '-a',
        'device',
      )
    const last = all
      .map(one => psOf(one.start_ns || '0') + psOf(one.duration_ns || '0'))
      .reduce((a, b) => (b > a ? b : a))
    const rows = all
      .filter(
        one => one.kind === 'counter' && one.name === 'HFU' && one.process === '/device:TPU:0',
      )
      .map(one => ({ start: psOf(one.start_ns), value: Number(one.value) }))
    let known = 0,
      sum = 0
    const seen = []
    rows.forEach(({ start, value }, i) => {
      const end = i + 1 < rows.length ? rows[i + 1].start : last,
        held = Number((end < t1 ? end : t1) - (start > t0 ? start : t0))
      if (held > 0 || (start >= t0 && start <= t1)) seen.push(value)
      if (held > 0) {
        known += held
        sum += held * value
      }
    })
    assert.ok(seen.length > 3 && rows[0].start < t0)
    assert.equal(Number(shown.min), Math.min(...seen))
    assert.equal(Number(shown.max), Math.max(...seen))
    assert.ok(Math.abs(Number(shown.mean) - sum / known) < 1e-9, shown.mean + ' ' + sum / known)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV of counters' }).click()
    assert.equal((await saved).suggestedFilename(), 'counters.csv')
    await shot(page, 'counters')
  },
)

view.test(
  'T30 Shift and a drag select an area over two tracks; its numbers are those of the rows of csv, no share is above 100 %',
  async () => {
    const page = await openProfile(view.url)
    const from = await pointOf(page, 'XLA Modules', 10000000000n),
      to = await pointOf(page, 'XLA Ops', 12000000000n, 1)
    await drag(page, from, { x: to.x, y: to.y + 2 }, { keys: ['Shift'] })
    await page.locator('.widget-details').getByText('Area').waitFor()
    const fields = await fieldsOf(page),
      area = { t0: psOf(fields.start.split(' ')[0]), t1: psOf(fields.end.split(' ')[0]) }
    assert.equal(fields.tracks, '/device:TPU:0 › XLA Modules, /device:TPU:0 › XLA Ops')
    await page.locator('.widget-details').getByRole('button', { name: 'Statistics' }).click()
    const grid = page.getByRole('grid', { name: 'Statistics of the selection' })
    await grid.locator('tbody tr').first().waitFor()
    const shown = await grid
      .locator('tbody tr')
      .evaluateAll(rows =>
        rows.map(row =>
          Object.fromEntries(
            [...row.cells].map(cell => [
              cell.dataset.column,
              cell.querySelector('[title]')?.title.replace(/^Show it: /, '') ||
                cell.textContent.trim(),
            ]),
          ),
        ),
      )
    const shares = await grid
      .locator('td[data-column=share] [title]')
      .evaluateAll(all =>
        all.map(one => [
          one.closest('tr').cells[0].querySelector('[title]')?.title ||
            one.closest('tr').cells[0].textContent.trim(),
          /^unknown: no work/.test(one.title) ? null : Number(one.title.split(' ')[0]) * 100,
        ]),
      )
    const spans = (await spansOf(SYNTHETIC)).filter(
      span =>
        span.process === '/device:TPU:0' &&
        /^XLA (Modules|Ops)$/.test(span.thread) &&
        span.start <= area.t1 &&
        span.end >= area.t0,
    )
    const names = [...new Set(spans.map(span => span.name))]
    assert.deepEqual(shown.map(row => row.name).sort(), names.sort())
    for (const row of shown) {
      const own = spans.filter(span => span.name === row.name),
        durations = own.map(span => span.duration).sort((a, b) => (a < b ? -1 : 1))
      const sum = durations.reduce((all, one) => all + one, 0n),
        ps = key => psOf(row[key].replace(' ns', ''))
      assert.equal(Number(row.count), own.length, row.name)
      assert.equal(
        ps('inside'),
        own.reduce((all, span) => all + insideOf(span, area), 0n),
        'total of ' + row.name,
      )
      assert.deepEqual([ps('min'), ps('max')], [durations[0], durations.at(-1)], row.name)
      const away = ps('mean') * BigInt(own.length) - sum
      assert.ok(away <= BigInt(own.length) && away >= -BigInt(own.length), 'mean of ' + row.name)
    }
    // The command of the widget gives the same rows with the same numbers.
    const printed = (await printedBy(page.locator('.widget-selection')))[0]
      .map(one =>
        [one.name, one.count, one.inside_ps, one.min_ps, one.mean_ps, one.max_ps].map(String),
      )
      .sort()
    const ofPage = shown
      .map(row =>
        [
          row.name,
          row.count,
          ...['inside', 'min', 'mean', 'max'].map(key => psOf(row[key].replace(' ns', ''))),
        ].map(String),
      )
      .sort()
    assert.deepEqual(ofPage, printed)
    // Programs hold the work, whose time would count again: shares are of operators alone.
    const programs = new Set(
      spans.filter(span => span.thread === 'XLA Modules').map(span => span.name),
    )
    assert.equal(shares.length, names.length)
    for (const [name, share] of shares) assert.equal(share === null, programs.has(name), name)
    assert.ok(Math.abs(shares.reduce((all, [, share]) => all + share, 0) - 100) < 1e-6)
  },
)

/** Statistics of the selection, as the widget shows them. */
const statistics = async page => {
  const grid = page.getByRole('grid', { name: 'Statistics of the selection' })
  await grid.locator('tbody tr').first().waitFor()
  await rest(page)
  const shown = await grid
    .locator('tbody tr')
    .evaluateAll(rows =>
      rows.map(row =>
        Object.fromEntries(
          [...row.cells].map(cell => [
            cell.dataset.column,
            cell.querySelector('[title]')?.title.replace(/^Show it: /, '') ||
              cell.textContent.trim(),
          ]),
        ),
      ),
    )
  return shown
    .map(row =>
      [
        row.name,
        row.count,
        ...['inside', 'min', 'mean', 'max'].map(key => psOf(row[key].replace(' ns', ''))),
      ].map(String),
    )
    .sort()
}

/** Words of the command that a widget gives, without nprof report. */
const commandOf = async (page, widget) =>
  (
    await page
      .locator('.widget-' + widget)
      .getByTitle(/^Copy as command/)
      .getAttribute('title')
  )
    .split('\n')[0]
    .replace('Copy as command: nprof report ', '')
    .match(/'[^']*'|\S+/g)
    .map(word => word.replaceAll("'", ''))

/** The same of rows, by name. */
function summed(spans, area) {
  const wanted = spans.filter(span => span.start <= area.t1 && span.end >= area.t0)
  return [...new Set(wanted.map(span => span.name))]
    .map(name => {
      const own = wanted.filter(span => span.name === name),
        durations = own.map(span => span.end - span.start).sort((a, b) => (a < b ? -1 : 1))
      return [
        name,
        own.length,
        own.reduce((all, span) => all + insideOf(span, area), 0n),
        durations[0],
        (durations.reduce((all, one) => all + one, 0n) * 2n + BigInt(own.length)) /
          (2n * BigInt(own.length)),
        durations.at(-1),
      ].map(String)
    })
    .sort()
}

view.test(
  'T30 an area over rows of groups is of those alone: its numbers, its command, its operators and its link',
  async () => {
    const page = await openProfile(view.url),
      rows = await csvOf(SYNTHETIC, [
        'kind',
        'process',
        'thread',
        'name',
        'step',
        'start_ns',
        'duration_ns',
      ])
    const spans = rows
      .filter(row => row.kind === 'span' && row.duration_ns !== '')
      .map(row => ({
        ...row,
        start: psOf(row.start_ns),
        end: psOf(row.start_ns) + psOf(row.duration_ns),
      }))
    const isOps = span => span.process === '/device:TPU:0' && span.thread === 'XLA Ops'
    await page.setViewportSize({ width: 1440, height: 2400 })
    await choose(page, 'Group by', 'step')
    await until('steps', async () => (await headings(page)).includes('step 1'))
    await rest(page)
    const middle = spans
      .filter(span => isOps(span) && span.step === '1')
      .map(span => span.start)
      .sort((a, b) => (a < b ? -1 : 1))[3]
    const from = await partedPoint(page, 'step 1', OPS, middle),
      to = await partedPoint(page, 'step 1', OPS, middle + 9000000000n)
    await drag(page, from, { x: to.x, y: to.y + 4 }, { keys: ['Shift'] })
    const details = page.locator('.widget-details')
    await details.getByText('Area').waitFor()
    const areaOf = async () => {
      const fields = await fieldsOf(page)
      return {
        t0: psOf(fields.start.split(' ')[0]),
        t1: psOf(fields.end.split(' ')[0]),
        of: fields['rows of'],
        tracks: fields.tracks,
      }
    }
    const area = await areaOf()
    assert.deepEqual([area.of, area.tracks], ['step 1', OPS])
    const selected = await page
      .locator('.tree .row.selected, .tree .row[aria-selected=true]')
      .evaluateAll(all => all.map(one => one.id))
    assert.deepEqual(
      selected,
      [await (await partedRow(page, 'step 1', OPS)).getAttribute('id')],
      'the row of another step is not selected',
    )
    await details.getByRole('button', { name: 'Statistics' }).click()
    const ofOne = summed(
      spans.filter(span => isOps(span) && span.step === '1'),
      area,
    )
    await until('its rows', async () => String(await statistics(page)) === String(ofOne)).catch(
      async error => {
        throw new Error(error.message + '\n' + (await statistics(page)) + '\n' + ofOne)
      },
    )
    assert.notDeepEqual(summed(spans.filter(isOps), area), ofOne)
    const printedRows = async () =>
      (await printedBy(page.locator('.widget-selection')))[0]
        .map(one =>
          [one.name, one.count, one.inside_ps, one.min_ps, one.mean_ps, one.max_ps].map(String),
        )
        .sort()
    assert.deepEqual(await printedRows(), ofOne)
    await shot(page, 'area-of-group')
    await openTab(page, 'Operators')
    const operators = page.locator('.widget-operators')
    await until('operators of it', async () =>
      (await operators.locator('.bar').textContent()).includes('step 1 on 1 track'),
    )
    await rest(page)
    const calls = async () =>
      Object.fromEntries(
        await operators
          .getByRole('grid')
          .first()
          .locator('tbody tr')
          .evaluateAll(all =>
            all.map(row => [
              row.querySelector('[data-column=operator]')?.textContent.trim().replace(/\?$/, ''),
              row.querySelector('[data-column=calls]')?.textContent.trim(),
            ]),
          ),
      )
    await until('calls', async () => {
      const shown = await calls()
      return ofOne.every(([name, count]) => shown[name] === count)
    }).catch(async error => {
      throw new Error(error.message + '\n' + JSON.stringify(await calls()) + '\n' + ofOne)
    })
    const printed = await table('operators', ...(await commandOf(page, 'operators')))
    assert.deepEqual(
      printed
        .filter(one => one.level === 'hlo')
        .map(one => [one.operator, one.calls].map(String))
        .sort(),
      ofOne.map(one => one.slice(0, 2)),
    )
    // Whoever opens the link has the same area.
    await until('the address', async () =>
      /[?&]a=[^&]*@step:\d+@\d+/.test(decodeURIComponent(page.url())),
    )
    const other = await openProfile(page.url(), {})
    await other.locator('.widget-details').getByText('Area').waitFor()
    await until('what it is of', async () => (await fieldsOf(other))['rows of'] === 'step 1')
    // Over two groups it is of a part of each.
    const low = await partedPoint(page, 'step 2', '/device:TPU:0 › Steps', middle),
      high = await partedPoint(page, 'step 1', OPS, middle + 12000000000n)
    const [top, bottom] = high.y < low.y ? [high, low] : [low, high]
    await drag(
      page,
      { x: Math.min(low.x, high.x), y: top.y },
      { x: Math.max(low.x, high.x), y: bottom.y + 2 },
      { keys: ['Shift'] },
    )
    await until('both', async () => (await areaOf()).of === 'step 1, step 2')
    const both = await areaOf(),
      chosen = await page.locator('.tree').evaluate(tree => {
        let heading = ''
        return [...tree.querySelectorAll('.row')]
          .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
          .flatMap(row => {
            const name = row.querySelector('.name').textContent.trim()
            if (row.ariaLevel === '1') heading = name
            return row.ariaLevel !== '1' &&
              (row.matches('.selected') || row.ariaSelected === 'true')
              ? [heading + ' ' + name]
              : []
          })
      })
    assert.ok(
      chosen.includes('step 1 ' + OPS) &&
        chosen.includes('step 2 /device:TPU:0 › Steps') &&
        !chosen.includes('step 2 ' + OPS),
      chosen.join(),
    )
    const ofBoth = summed(
      spans.filter(span =>
        chosen.includes('step ' + span.step + ' ' + span.process + ' › ' + span.thread),
      ),
      both,
    )
    await openTab(page, 'Selection')
    await scopeTo(page.locator('.widget-selection'), 'selection')
    await rest(page)
    await until('both', async () => String(await statistics(page)) === String(ofBoth)).catch(
      async error => {
        throw new Error(error.message + '\n' + (await statistics(page)) + '\n' + ofBoth)
      },
    )
    assert.deepEqual(await printedRows(), ofBoth)
  },
)

view.test('T57 the link shows the same in a fresh browser', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('w')
  await clickEvent(page, 'XLA Ops', 15900000000n, 'fusion', 1)
  await choose(page, 'Colour by', 'category')
  await until('the address', async () => /c=category/.test(page.url()) && /e=\d/.test(page.url()))
  await page.mouse.move(5, 5)
  const other = await openProfile(page.url(), {})
  await other
    .locator('.event-name', { hasText: await page.locator('.event-name').textContent() })
    .waitFor()
  await other.mouse.move(5, 5)
  assert.deepEqual(await windowOf(other), await windowOf(page))
  await until(
    'the same picture',
    async () =>
      Buffer.compare(
        await other.locator('.timeline .bars').screenshot(),
        await page.locator('.timeline .bars').screenshot(),
      ) === 0,
  )
})

view.test(
  'T57 in each built-in layout the link that y copies leads to the same widgets, with the same in them',
  async () => {
    // Rows are alike, so the first of a table stand for all.
    const page = await openProfile(view.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
      brief: true,
    })
    await page.keyboard.press('w')
    await clickEvent(page, 'XLA Ops', 15900000000n, 'fusion', 1)
    await choose(page, 'Colour by', 'category')
    const other = await openProfile(view.url, { brief: true }),
      window = await windowOf(page)
    const state = one =>
      one.evaluate(() => ({
        tabs: [...document.querySelectorAll('.lm-TabBar-tab')]
          .map(
            tab => tab.textContent + (tab.classList.contains('lm-mod-current') ? ' in front' : ''),
          )
          .sort(),
        widgets: [...document.querySelectorAll('.widget:not(.lm-mod-hidden, .widget-timeline)')]
          .map(widget => widget.textContent.replace(/\s+/g, ' '))
          .sort(),
        chosen: [...document.querySelectorAll('.top select')].map(select => select.value),
      }))
    for (const name of LAYOUTS) {
      await layout(page, name)
      await page.locator('.timeline .over').focus()
      await page.evaluate(() => navigator.clipboard.writeText(''))
      await page.keyboard.press('y')
      await other.goto(
        await until('the link', () => page.evaluate(() => navigator.clipboard.readText())),
      )
      await until('the same in ' + name, async () => {
        await rest(other)
        return JSON.stringify(await state(other)) === JSON.stringify(await state(page))
      }).catch(async error => {
        throw new Error(
          error.message + '\n' + JSON.stringify([await state(page), await state(other)], null, 1),
        )
      })
      assert.deepEqual(await windowOf(other), window, name)
      // Pixel by pixel, but for a few at the edges of parts, which the browser rounds; the cursor of an editor blinks, the pointer
      // and the focus are elsewhere, and what y says fades within 5 s, which is not waited for.
      for (const one of [page, other]) {
        await one.mouse.move(5, 5)
        await one.evaluate(() => document.activeElement?.blur())
      }
      const pictures = () =>
        Promise.all(
          [page, other].map(one =>
            one.locator('.dock').screenshot({ caret: 'hide', animations: 'disabled' }),
          ),
        )
      await until('the same picture of ' + name, async () => {
        const [own, others] = await pictures()
        return own.equals(others) || (await unlike(page, own, others)) < 300
      })
    }
  },
)

view.test(
  'T57 what people chose in widgets, markers and a step come back with the link; Back undoes none of it',
  async () => {
    const page = await openProfile(view.url),
      grid = page.getByRole('grid', { name: 'Operators', exact: true })
    await page.getByLabel('Level', { exact: true }).selectOption('opcode')
    await rest(page)
    await grid.getByRole('button', { name: 'occurrences' }).click()
    await page.getByLabel('Filter operators').fill('f')
    await page.keyboard.press('Tab')
    await openTab(page, 'Selection')
    await page.getByLabel('By', { exact: true }).selectOption('track')
    await page.locator('.widget-selection').getByLabel('Filter').fill('Ops')
    await page.locator('.timeline .over').focus()
    await page.keyboard.press('n')
    await page.locator('.widget-details h2', { hasText: 'Step 0' }).waitFor()
    const before = await windowOf(page)
    await ask(page, '@9000000..12000000')
    for (const at of ['@9500000', '@10500000']) {
      await ask(page, at)
      await page.keyboard.press('m')
    }
    await openTab(page, 'Annotations')
    await page.getByLabel('Name of Marker 2').fill('end, "quoted" & {more}')
    await page.getByLabel('Name of Marker 2').press('Enter')
    // The text of SQL comes from the search also where no editor was open.
    await ask(page, ':SELECT 41 + 1 AS answer')
    await page.getByRole('grid', { name: 'Result' }).getByText('42').waitFor()
    const show = (one, name) => name === 'Details' || openTab(one, name)
    const state = async one => {
      const said = []
      for (const name of ['SQL', 'Annotations', 'Details', 'Selection', 'Operators']) {
        await show(one, name)
        await rest(one)
        const said_ = () =>
          one
            .locator('.widget-' + name.toLowerCase())
            .evaluate(
              widget =>
                [...widget.querySelectorAll('select, input')].map(field => field.value).join() +
                ' ' +
                (widget.querySelector('.cm-content') ?? widget).textContent.replace(/\s+/g, ' '),
            )
        said.push(
          await until(name, async () => {
            const now = await said_()
            return now.length > 20 && now
          }),
        )
      }
      return said
    }
    const kept = await state(page)
    await until(
      'the address',
      async () => /[?&]m=.*[?&]?p=|[?&]p=/.test(page.url()) && /sql\.text/.test(page.url()),
    )
    const other = await openProfile(page.url(), {})
    assert.deepEqual(await state(other), kept)
    assert.match(kept[0], /SELECT 41 \+ 1 AS answer/)
    assert.match(kept[1], /end, "quoted" & \{more\}/)
    assert.match(kept[2], /Step 0/)
    await page.goBack()
    await page.goBack()
    await page.goBack()
    await until('the window before', async () => (await windowOf(page)).t0 === before.t0)
    await until('the address', () => /[?&]m=.*end/.test(page.url()) && /sql\.text/.test(page.url()))
    await show(page, 'Annotations')
    assert.equal(await page.getByLabel('Name of end').inputValue(), 'end, "quoted" & {more}')
  },
)

view.test(
  'T57 rows that are unfolded, orders, Diff vs, the answer of SQL and what is outlined come back with the link',
  async () => {
    const page = await openProfile(view.url),
      show = openTab
    const operators = one => one.locator('.widget-operators table.grid'),
      orderOf = grid =>
        grid
          .locator('th[aria-sort=ascending], th[aria-sort=descending]')
          .evaluateAll(all =>
            all.map(head => head.getAttribute('aria-sort') + ' ' + head.textContent.trim()),
          )
    await page.getByLabel('Level', { exact: true }).selectOption('framework')
    await rest(page)
    const fold = operators(page)
      .getByRole('button', { name: 'Unfold jit(train_step)/layers/mlp/down' })
      .last()
    await fold.click()
    await operators(page).locator('tr.child').first().waitFor()
    await show(page, 'Summary')
    const devices = one => one.getByRole('grid', { name: 'Devices', exact: true })
    for (let i = 0; i < 2; i++) await devices(page).getByRole('button', { name: 'idle' }).click()
    await until(
      'the order',
      async () => String(await orderOf(devices(page))) === 'ascending idle ▴',
    )
    for (const at of ['@6000000', '@8000000', '@12000000']) {
      await ask(page, at)
      await page.keyboard.press('m')
    }
    await show(page, 'Annotations')
    await page.getByLabel('Diff of Marker 3 vs').selectOption({ label: 'Marker 1' })
    await page.getByLabel('Name of the set').fill('warm')
    await ask(page, ':SELECT 41 + 1 AS answer')
    await page.getByRole('grid', { name: 'Result' }).getByText('42').waitFor()
    await page.locator('.timeline .over').focus()
    await page.keyboard.press('+')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Layers/ })
      .first()
      .click()
    await page
      .getByRole('grid', { name: 'Layers' })
      .locator('tbody tr', { hasText: 'mlp' })
      .first()
      .click({ button: 'right' })
    const said = await until('outlines', async () => {
      const text = await page.locator('[data-say]').textContent()
      return /^\d+ events of .*mlp/.test(text) && text
    })
    const state = async one => {
      const all = {}
      for (const [name, of] of [
        ['Operators', () => operators(one).locator('tbody tr').allTextContents()],
        [
          'Summary',
          async () => [
            await orderOf(devices(one)),
            await devices(one).locator('tbody tr').allTextContents(),
          ],
        ],
        [
          'Annotations',
          () =>
            one
              .locator('.widget-annotations')
              .evaluate(
                widget =>
                  [...widget.querySelectorAll('select, input')]
                    .map(field => field.selectedOptions?.[0]?.textContent ?? field.value)
                    .join() + widget.querySelector('tbody').textContent,
              ),
        ],
        ['SQL', () => one.locator('.sql-result td').allTextContents()],
      ]) {
        await show(one, name)
        await rest(one)
        all[name] = await of()
      }
      return all
    }
    await until(
      'the address',
      () =>
        /operators\.open.*annotations|annotations.*operators\.open/.test(page.url()) &&
        /outline=layer/.test(page.url()),
    )
    assert.ok(page.url().length < 1900, page.url())
    const kept = await state(page),
      children = await operators(page).locator('tr.child').count()
    assert.ok(
      children > 0 &&
        kept.Summary[0].length === 1 &&
        /warm/.test(kept.Annotations) &&
        kept.SQL.length === 1,
      JSON.stringify(kept),
    )
    const other = await openProfile(page.url(), {})
    await until(
      'the outlines',
      async () => (await other.locator('[data-say]').textContent()) === said,
    )
    // Rows that unfold are asked for behind those above them.
    await show(other, 'Operators')
    await until(
      'rows below',
      async () => (await operators(other).locator('tr.child').count()) === children,
    )
    assert.deepEqual(await state(other), kept)
    // The same part of the run is below a row as above it.
    await show(other, 'Operators')
    await ask(other, '@3000000..6200000')
    await scopeTo(other, 'window')
    await rest(other)
    await until(
      'rows of the window',
      async () =>
        String(await operators(other).locator('tbody tr').allTextContents()) !==
          String(kept.Operators) && (await operators(other).locator('tr.child').count()) > 0,
    )
    const calls = async row => Number(await row.locator('td[data-column=calls]').textContent()),
      child = operators(other).locator('tr.child').first(),
      parent = operators(other).locator('tbody tr', { hasText: 'mlp/down' }).last()
    assert.equal(await calls(child), await calls(parent))
    // Back undoes a zoom, and folds nothing.
    await other.goBack()
    await until('the window', async () => (await windowOf(other)).t0 !== 3000000000n)
    await until(
      'the row that is open',
      async () =>
        (await operators(other)
          .getByRole('button', { name: /^Fold / })
          .count()) === 1,
    )
    await ask(other, '@6000000')
    await other.keyboard.press('Escape')
    await until('no outlines', () => !/outline=/.test(other.url()))
  },
)

view.test(
  'T57 rows that were scrolled to are in sight by the link, too, also in groups that are asked for',
  async () => {
    const events = Array.from({ length: 90 }, (_, k) => [
      { ph: 'M', pid: 1, tid: k, name: 'thread_name', args: { name: 'thread ' + k } },
      ...[0, 1].map(i => ({
        ph: 'X',
        pid: 1,
        tid: k,
        ts: 10 * k + i,
        dur: 5,
        cat: 'part' + (k % 40),
        name: 'span' + k,
      })),
    ]).flat()
    const page = await openProfile(
      await view.add(put('many-threads.json', { traceEvents: events })),
    )
    const inSight = one =>
      one.evaluate(() => {
        const box = document.querySelector('.timeline .scroll').getBoundingClientRect()
        return [...document.querySelectorAll('.timeline .tree .row')]
          .map(row => [row.querySelector('.name').textContent.trim(), row.getBoundingClientRect()])
          .filter(([, at]) => at.bottom > box.top && at.top < box.bottom)
          .map(([name, at]) => name + ' ' + Math.round(at.top - box.top))
          .sort()
      })
    for (const grouping of ['device', 'category']) {
      await choose(page, 'Group by', grouping)
      if (grouping === 'device') await rowOf(page, 'process 1').locator('.fold').click()
      await until(
        'rows',
        async () =>
          (await inSight(page)).length > 5 &&
          (await page.locator('.timeline [aria-busy]').count()) === 0,
      )
      await page.locator('.timeline .over').hover()
      await page.mouse.wheel(0, 777)
      await until('the address of where it came to rest', async () => {
        const [, kept] = /timeline\.top=[^&]*-(\d+)/.exec(decodeURIComponent(page.url())) ?? []
        const tops = (await inSight(page)).map(one => Number(one.split(' ').pop()))
        return kept !== undefined && Number(kept) === -Math.min(...tops)
      })
      const seen = await inSight(page)
      const other = await openProfile(page.url(), {})
      await until(
        'the same rows, by ' + grouping,
        async () => String(await inSight(other)) === String(seen),
      )
      await other.close()
      await page.mouse.wheel(0, -5000)
      await until('the address', () => !/timeline\.top/.test(page.url()))
    }
  },
)

view.test(
  'T57 the page of a long table comes back with the link; fewer rows leave no page behind the last',
  async () => {
    const names = Array.from({ length: 450 }, (_, k) => 'kernel' + k)
    const page = await openProfile(
      await view.add(
        put('many-names.json', {
          traceEvents: names.map((name, k) => ({
            ph: 'X',
            pid: 0,
            tid: 7,
            ts: k * 10,
            dur: 5 + (k % 7),
            name,
            cat: 'kernel',
            args: { device: 0, stream: 7 },
          })),
        }),
      ),
    )
    await page.keyboard.press('+')
    await page
      .getByRole('dialog')
      .locator('.tables')
      .getByRole('button', { name: /^Latency/ })
      .first()
      .click()
    const widget = one => one.locator('.widget-table'),
      place = one => widget(one).locator('.pager span').textContent(),
      first = one => widget(one).locator('tbody tr').first().textContent()
    await widget(page).locator('.pager').waitFor()
    const start = await first(page)
    await widget(page).getByRole('button', { name: 'next ›' }).click()
    await until('the second page', async () => /^201–400 of 450/.test(await place(page)))
    await widget(page).getByRole('button', { name: 'next ›' }).click()
    await until('the third page', async () => /^401–450 of 450/.test(await place(page)))
    await until('the address', () => /offset=400/.test(page.url()))
    const other = await openProfile(page.url(), {})
    await widget(other).locator('.pager').waitFor()
    assert.equal(await place(other), await place(page))
    assert.equal(await first(other), await first(page))
    assert.notEqual(await first(other), start)
    // A window in which 250 names are has two pages.
    await ask(other, '@0..2499900')
    await scopeTo(other, 'window')
    await until('the last page', async () =>
      /^201–250 of 250/.test(await place(other).catch(() => '')),
    )
    await widget(other).getByLabel('Filter rows').fill('kernel44')
    await until(
      'its rows',
      async () =>
        ((await widget(other).locator('tbody tr').count()) > 0 &&
          (await widget(other).locator('.pager').count()) === 0) ||
        /No rows/.test(await widget(other).textContent()),
    )
    await until('the address', () => !/offset=/.test(other.url()))
  },
)

view.test('T61 one finger pans, two zoom, a long press makes a marker', async () => {
  const page = await openProfile(view.url, { hasTouch: true })
  await page.keyboard.press('w')
  const { x, y } = await page
    .locator('.timeline .over')
    .boundingBox()
    .then(box => ({ x: box.x + 400, y: box.y + 60 }))
  const touch = await page.context().newCDPSession(page)
  const send = (type, ...points) =>
    touch.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: points.map(([px, py], id) => ({ x: px, y: py, id })),
    })
  const old = await windowOf(page)
  await send('touchStart', [x, y])
  await send('touchMove', [x - 60, y])
  await send('touchMove', [x - 120, y])
  await send('touchEnd')
  const panned = await until('a pan', async () => {
    const now = await windowOf(page)
    return now.t0 > old.t0 && now
  })
  await send('touchStart', [x - 50, y], [x + 50, y])
  await send('touchMove', [x - 100, y], [x + 100, y])
  await send('touchMove', [x - 150, y], [x + 150, y])
  await send('touchEnd')
  await until('a zoom', async () => {
    const now = await windowOf(page)
    return now.t1 - now.t0 < ((panned.t1 - panned.t0) * 2n) / 3n
  })
  await send('touchStart', [x, y])
  await until('a marker', async () =>
    /marker 1/.test(await page.locator('[data-say]').textContent()),
  )
  await send('touchEnd')
})

view.test('T1 a page that leads nowhere says so', async () => {
  const page = await open(view.server.base + '/profile/n_' + '0'.repeat(40))
  await page.getByRole('heading', { name: /No profile n_0{40} here/ }).waitFor()
})

view.test(
  'below a pixel a lane is as high as it is busy: its columns sum up to the time of its rows',
  async () => {
    // 20,000 spans of 1 to 40 us, with gaps that grow and shrink, so that shares of pixels go from a sixth to nearly all.
    const spans = []
    let seed = 7,
      t = 0
    const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648
    for (let i = 0; i < 20000; i++) {
      const dur = 1 + 39 * random()
      spans.push({ ph: 'X', pid: 1, tid: 1, ts: t, dur, name: 'step' + (i % 7), cat: 'cpu_op' })
      t += dur + 50 * (1.05 + Math.sin(i / 900)) * random()
    }
    const page = await openProfile(
      (await view.add(
        put('dense.json', {
          traceEvents: [
            { ph: 'M', pid: 1, tid: 1, name: 'thread_name', args: { name: 'worker' } },
            ...spans,
          ],
        }),
      )) + '?z=start',
      {},
    )
    for (const [from, to] of [
      [0, null],
      [t * 0.3, t * 0.62],
    ]) {
      if (to) await ask(page, '@' + Math.round(from * 1000) + '..' + Math.round(to * 1000))
      await rest(page)
      const { t0, t1 } = await windowOf(page),
        [a, b] = [t0, t1].map(one => Number(one) / 1e6)
      const { y } = await rowOf(page, 'worker').boundingBox()
      const { height, columns } = await page.locator('.timeline .bars').evaluate((canvas, y) => {
        const box = canvas.getBoundingClientRect(),
          { data, width } = canvas
            .getContext('2d')
            .getImageData(0, Math.round(y - box.top), canvas.width, 24)
        const is = (x, row, rgb) =>
          rgb.every((value, i) => data[(row * width + x) * 4 + i] === value)
        const foot = Array.from({ length: 24 }, (_, row) => row).findLast(row =>
          Array.from({ length: width }, (_, x) => x).some(x => is(x, row, [95, 104, 122])),
        )
        const heights = Array.from({ length: width }, (_, x) =>
          is(x, foot, [95, 104, 122])
            ? 1 +
              Array.from({ length: foot }, (_, row) => row).filter(row =>
                is(x, row, [174, 185, 201]),
              ).length
            : 0,
        )
        return { height: foot, columns: heights }
      }, y)
      const drawn =
        ((columns.reduce((sum, one) => sum + one, 0) / height) * (b - a)) / columns.length
      const busy = spans.reduce(
        (sum, one) => sum + Math.max(0, Math.min(b, one.ts + one.dur) - Math.max(a, one.ts)),
        0,
      )
      assert.ok(Math.abs(drawn / busy - 1) < 0.01, drawn + ' us are drawn of ' + busy)
      assert.ok(Math.max(...columns) > 2.5 * Math.min(...columns.slice(5, -5)), columns.join())
    }
  },
)

view.test('the ruler of a page counts from its first row and tells the offset once', async () => {
  const late = put(
    'late.json',
    '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":388070,"dur":713100,"name":"run"}]}',
  )
  const page = await openProfile((await view.add(late)) + '?z=start', {}),
    cell = page.locator('.zero')
  assert.equal(
    await page.getByLabel('Zero of the ruler').locator('option:checked').textContent(),
    'start of the first row',
  )
  assert.match(await cell.textContent(), /^0 = .*\(388 ms\)$/s)
  assert.match(
    await page.locator('.timeline .over').getAttribute('aria-label'),
    /^0 to 713,100,000 ns, /,
  )
  await page.waitForURL(url => !url.searchParams.has('z'))
  await ask(page, '@31260400..31260900')
  await page.locator('.zero .base', { hasText: /^31.26 ms \+$/ }).waitFor()
})

view.test(
  'numbers of the ruler neither touch each other nor are cut, however long they are',
  async () => {
    const long =
      '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":-257000.001,"dur":2.5,"name":"before"},{"ph":"X","pid":1,"tid":1,"ts":1721234567890.123,"dur":1000.001,"name":"after"}]}'
    const page = await openProfile(await view.add(put('ruler.json', long)))
    await page.evaluate(() => {
      const { clearRect, fillText } = CanvasRenderingContext2D.prototype
      globalThis.ruler = []
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        if (this.canvas.className === 'ruler') globalThis.ruler = []
        return clearRect.apply(this, box)
      }
      CanvasRenderingContext2D.prototype.fillText = function (...text) {
        if (this.canvas.className === 'ruler')
          globalThis.ruler.push({
            text: text[0],
            from: text[1],
            to: text[1] + this.measureText(text[0]).width,
            wide: this.canvas.clientWidth,
          })
        return fillText.apply(this, text)
      }
    })
    for (const from of [-257000000n, 1721234567890123n]) {
      for (let length = 2000000; length > 1; length = Math.floor(length / 2.3)) {
        const where = '@' + from + '..' + (from + BigInt(length))
        await ask(page, where)
        await drawn(page)
        const labels = (await page.evaluate(() => globalThis.ruler)).sort(
            (a, b) => a.from - b.from,
          ),
          told = where + JSON.stringify(labels)
        assert.ok(labels.length > 2, told)
        assert.ok(
          labels.every(one => one.from >= 0 && one.to <= one.wide),
          told,
        )
        assert.ok(
          labels.slice(1).every((one, i) => one.from - labels[i].to >= 8),
          told,
        )
      }
    }
  },
)

view.test('while groups are asked for the first time the timeline says so', async () => {
  const page = await openProfile(view.url),
    groups = await hold(page, '**/groups?*')
  await choose(page, 'Group by', 'category')
  const busy = page.locator('.timeline [aria-busy]')
  await busy.waitFor()
  assert.match(await busy.textContent(), /^grouping…/)
  await groups.go()
  await busy.waitFor({ state: 'detached' })
  assert.ok((await headings(page)).length > 1)
})

/** What the canvas of the bars has. */
const barsOf = page =>
  page.locator('.timeline .bars').evaluate(canvas => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    return [...new Uint32Array(data.buffer)].join()
  })

view.test('rows that are scrolled look as those that are drawn anew', async () => {
  for (const deviceScaleFactor of [1, 1.5]) {
    const page = await openProfile(view.url, {
      viewport: { width: 900, height: 560 },
      deviceScaleFactor,
    })
    for (const key of ['q', 'q', 'e']) await page.keyboard.press(key) // no tabs below, all rows
    await page.locator('.timeline .row').nth(1).hover()
    await page.getByTitle('Pin to the top').nth(1).click()
    await page.locator('.pinned-tree .row').waitFor()
    await page.mouse.move(1, 1)
    await rest(page)
    let seen = 0
    for (const by of [7, 24, -3, 60, 1, -41, 500, -20]) {
      const top = await page.locator('.timeline .scroll').evaluate((element, by) => {
        element.scrollTop += by
        return element.scrollTop
      }, by)
      const [, bars] = /(\d+) bars/.exec(
        await page.locator('.timeline .over').getAttribute('aria-label'),
      )
      seen += Number(top > 0 && Number(bars) > 20)
      await drawn(page)
      const scrolled = await barsOf(page)
      await page.evaluate(() => document.dispatchEvent(new CustomEvent('nprof-theme')))
      await drawn(page)
      assert.ok(scrolled === (await barsOf(page)), 'by ' + by + ', at ' + top)
    }
    assert.ok(seen > 4)
  }
})
