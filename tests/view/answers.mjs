// SPDX-License-Identifier: Apache-2.0
// What analyses found, and the way from it to rows and lines of code (tests 46, 47, 53, 67-70 of the list, and the
// questions of a new user).
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import {
  AGAIN,
  LOOKS,
  SYNTHETIC,
  ask,
  cellsAre,
  cellsOf,
  choose,
  chosen,
  closeTab,
  colourAt,
  csvOf,
  drag,
  drawn,
  fieldsOf,
  fieldsOfLine,
  folder,
  hold,
  layout,
  made,
  nprof,
  openProfile,
  openTab,
  pointOf,
  printedBy,
  psOf,
  put,
  rest,
  rowOf,
  scopeOf,
  scopeTo,
  shot,
  spansOf,
  suite,
  table,
  until,
  windowOf,
  write,
} from './harness.mjs'
import { SOURCES, STEP_US, findByKeys, findByMouse, torchEvents, torchTrace } from './torch.mjs'

/** A choice in a widget, as the address keeps it. */
const settingOf = (page, name) =>
  new URLSearchParams(new URL(page.url()).searchParams.get('o') ?? '').get(name)

const trace = put('torch/rank0.pt.trace.json', torchTrace())
for (const [name, text] of Object.entries(SOURCES)) put('code/' + name, text)
const view = suite(['--source', path.join(folder, 'code'), trace], 'torch')

/** Adds a widget as `+` does. */
async function addWidget(page, name) {
  await page.keyboard.press('+')
  await page.getByRole('dialog').getByRole('button', { name }).first().click()
  await rest(page)
}

/** Selects an event by a search. */
async function find(page, text, name) {
  await ask(page, text)
  await page.locator('.event-name', { hasText: name }).waitFor({ state: 'attached' })
}

view.test(
  'a new user finds the slowest kernel of step 3, why the device was idle before it, and its line, with the mouse alone',
  async () => {
    const page = await openProfile(view.url)
    const { acts, keys } = await findByMouse(page)
    assert.ok(acts <= 12 && keys === 0, acts + ' acts')
    await shot(page, 'found')
  },
)

view.test('and with the keyboard alone', async () => {
  const page = await openProfile(view.url)
  const { acts, keys } = await findByKeys(page)
  assert.ok(keys <= 25 && acts === 0, keys + ' keys')
  assert.match(
    await page.locator('[data-say]').textContent(),
    /idle before it: [\d.]+ [mun]?s, not launched yet/,
  )
})

view.test('T46 a click shows the line of an event, Ctrl and a click scroll to it', async () => {
  const page = await openProfile(view.url)
  await layout(page, 'Code')
  const here = page.locator('.cm-line.cm-here')
  const kernels = kernelsOf(1)
  await ask(page, '@10000000..12000000')
  const clickOn = async (name, keys = []) => {
    const { start, end } = kernels.find(one => one.name === name),
      { x, y } = await pointOf(page, 'stream 7', (start + end) / 2n)
    for (const key of keys) await page.keyboard.down(key)
    await page.mouse.click(x, y)
    for (const key of keys) await page.keyboard.up(key)
    await page.locator('.event-name', { hasText: name }).waitFor({ state: 'attached' })
  }
  await clickOn('gemm_down')
  await page.locator('.code-head', { hasText: 'mlp.py' }).waitFor()
  await here.filter({ hasText: 'mlp, line 15' }).waitFor()
  // A page so low that the line is not in sight until it is asked for.
  await page.setViewportSize({ width: 1440, height: 560 })
  await drawn(page)
  await clickOn('flash_bwd')
  await page.locator('.code-head', { hasText: 'attention.py' }).waitFor()
  await rest(page)
  const inSight = async () => {
    const [line, body] = [await here.boundingBox(), await page.locator('.code-body').boundingBox()]
    return line && line.y >= body.y && line.y + line.height <= body.y + body.height
  }
  await page.locator('.code-body .cm-scroller').evaluate(element => {
    element.scrollTop = 0
  })
  assert.ok(!(await inSight()))
  await clickOn('flash_bwd', ['Control'])
  await here.filter({ hasText: 'the slow one' }).waitFor()
  await until('the line in sight', inSight)
  await shot(page, 'code')
})

view.test(
  'T46 Ctrl and a click lead to the line of an event whatever tab is in front',
  async () => {
    const page = await openProfile(view.url),
      code = page.locator('.widget-code:not(.lm-mod-hidden)'),
      { start, end } = kernelsOf(1).find(one => one.name === 'flash_bwd')
    const ctrlClick = async (track, t) => {
      const { x, y } = await pointOf(page, track, t)
      await page.keyboard.down('Control')
      await page.mouse.click(x, y)
      await page.keyboard.up('Control')
    }
    await ask(page, '@10000000..12000000')
    await openTab(page, 'Steps')
    assert.equal(await code.count(), 0)
    await ctrlClick('stream 7', (start + end) / 2n)
    await code.waitFor()
    await code.locator('.code-head', { hasText: 'attention.py' }).waitFor()
    const here = code.locator('.cm-line.cm-here', { hasText: 'the slow one' })
    await here.waitFor()
    await closeTab(page, 'Source')
    assert.equal(await page.getByRole('tab', { name: 'Source', exact: true }).count(), 0)
    await ctrlClick('stream 7', (start + end) / 2n) // a tab that was closed comes back
    await here.waitFor()
  },
)

view.test('T47 a line, and three lines, outline exactly their events', async () => {
  const page = await openProfile(view.url)
  await layout(page, 'Code')
  await page.getByLabel('File', { exact: true }).selectOption({ label: 'attention.py' })
  await page.locator('.cm-line', { hasText: 'attention, line 12' }).click()
  const said = page.locator('[data-say]')
  await said.filter({ hasText: '20 events of line 12' }).waitFor({ state: 'attached' })
  await page.locator('.cm-line', { hasText: 'attention, line 11' }).click()
  await said.filter({ hasText: 'no events of line 11' }).waitFor({ state: 'attached' })
  await page.locator('.code-body .cm-scroller').evaluate(element => {
    element.scrollLeft = 0
  }) // a click brings the middle of a line into sight
  const [from, to] = [
    await page.locator('.cm-line', { hasText: 'attention, line 30' }).boundingBox(),
    await page.locator('.cm-line', { hasText: 'attention, line 32' }).boundingBox(),
  ]
  await page.mouse.move(from.x + 4, from.y + 4)
  await page.mouse.down()
  await page.mouse.move(to.x + 60, to.y + 6, { steps: 4 })
  await page.mouse.up()
  await said.filter({ hasText: /21 events of line 30 to 32/ }).waitFor({ state: 'attached' })
  // The left edge of each bar is outlined, or is not, as its line says.
  await ask(page, '@10000000..12000000')
  await page.mouse.move(5, 5)
  const outlined = async () => {
    await drawn(page)
    const seen = []
    for (const one of kernelsOf(1).filter(kernel => kernel.end < 12000000000n)) {
      const { x, y } = await pointOf(page, 'stream 7', one.start),
        colours = await Promise.all(
          [-1, 0, 1].map(by => colourAt(page.locator('.timeline .over'), { x: x + by, y })),
        )
      if (colours.some(colour => Number(colour.split(',')[3]) > 100)) seen.push(String(one.start))
    }
    return seen.join()
  }
  const wanted = kernelsOf(1)
    .filter(one => one.end < 12000000000n && one.source === 'attention.py:31')
    .map(one => String(one.start))
  assert.ok(wanted.length >= 1)
  await until('outlines', async () => (await outlined()) === wanted.join())
})

view.test(
  'T47 the events of a line are outlined where they are drawn, however rows are grouped: as many as the answer and the gutter say',
  async () => {
    const page = await openProfile(view.url)
    await page.setViewportSize({ width: 1440, height: 2000 })
    await layout(page, 'Code')
    await page.getByLabel('File', { exact: true }).selectOption({ label: 'attention.py' })
    await page.locator('.cm-line', { hasText: 'the slow one' }).click()
    const kernels = [0, 1, 2, 3, 4]
        .flatMap(kernelsOf)
        .filter(one => one.source === 'attention.py:31'),
      said = page.locator('[data-say]')
    await said
      .filter({ hasText: new RegExp('^' + kernels.length + ' events of line 31$') })
      .waitFor({ state: 'attached' })
    const gutter = await page
      .locator('.cm-cost .cm-gutterElement span')
      .evaluateAll(all => all.map(one => Number.parseInt(one.title, 10)))
    assert.ok(gutter.includes(kernels.length), gutter.join())
    await page.evaluate(() => {
      const { clearRect, rect } = CanvasRenderingContext2D.prototype
      globalThis.outlines = []
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        if (this.canvas.matches('.timeline .over')) globalThis.outlines = []
        return clearRect.apply(this, box)
      }
      CanvasRenderingContext2D.prototype.rect = function (...box) {
        if (this.canvas.matches('.timeline .over')) globalThis.outlines.push(box)
        return rect.apply(this, box)
      }
    })
    /** How many outlines there are, and how many have a bar within them; those that a click there leads to. */
    const outlined = () =>
      page.locator('.timeline .bars').evaluate(canvas => {
        const context = canvas.getContext('2d'),
          inside = globalThis.outlines.filter(
            ([x, y, w, h]) =>
              context.getImageData(Math.round(x + w / 2), Math.round(y + h / 2), 1, 1).data[3] ===
              255,
          )
        return globalThis.outlines.length + ' ' + inside.length
      })
    for (const by of ['device', 'step', 'category', 'layer', 'engine']) {
      await choose(page, 'Group by', by)
      await rest(page)
      for (const [from, to] of [
        [10000000, 17000000],
        [30000000, 40000000],
      ]) {
        await ask(page, '@' + from + '..' + to)
        await page.mouse.move(5, 5)
        const own = kernels.filter(
          one => one.end >= BigInt(from) * 1000n && one.start <= BigInt(to) * 1000n,
        ).length
        assert.ok(own > 1)
        await until('outlines by ' + by, async () => {
          await page.evaluate(() => document.dispatchEvent(new Event('nprof-theme')))
          await drawn(page)
          return (await outlined()) === own + ' ' + own
        }).catch(async error => {
          throw new Error(error.message + ' ' + own + ': ' + (await outlined()))
        })
      }
    }
  },
)

view.test(
  'T46 T47 the file of a line is the one that the event names, also where another name ends alike; of many all are outlined, and of more than that the count says so',
  async () => {
    put(
      'code/my_attention.py',
      Array.from({ length: 9 }, (_, i) => '# mine, line ' + (i + 1)).join('\n') + '\n',
    )
    const kernel = (i, source) => ({
      ph: 'X',
      cat: 'kernel',
      name: source.startsWith('my') ? 'mine' : 'other',
      pid: 0,
      tid: 7,
      ts: 10 * i,
      dur: 8,
      args: { device: 0, stream: 7, source },
    })
    // The file with the longer name has more time, so it is the first of the list.
    const events = [
      ...Array.from({ length: 9800 }, (_, i) => kernel(i, 'my_attention.py:3')),
      ...Array.from({ length: 300 }, (_, i) => kernel(9800 + i, 'my_attention.py:4')),
      kernel(10100, 'attention.py:31'),
    ]
    const page = await openProfile(
      await view.add(
        put('alike.pt.trace.json', {
          schemaVersion: 1,
          deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
          traceEvents: events,
        }),
      ),
    )
    await layout(page, 'Code')
    assert.deepEqual(
      (await page.getByLabel('File', { exact: true }).locator('option').allTextContents()).map(
        text => text.trim(),
      ),
      ['my_attention.py', 'attention.py'],
    )
    await find(page, 'name=other', 'other')
    await page.locator('.cm-line.cm-here', { hasText: 'the slow one' }).waitFor()
    await find(page, 'name=mine', 'mine')
    const here = page.locator('.cm-line.cm-here', { hasText: 'mine, line 3' })
    await here.waitFor()
    await here.click()
    await page
      .locator('[data-say]')
      .filter({ hasText: /^9,800 events of line 3$/ })
      .waitFor({ state: 'attached' })
    const [from, to] = [
      await here.boundingBox(),
      await page.locator('.cm-line', { hasText: 'mine, line 4' }).boundingBox(),
    ]
    await drag(page, { x: from.x + 4, y: from.y + 6 }, { x: to.x + 60, y: to.y + 6 })
    await page
      .locator('[data-say]')
      .filter({ hasText: /^10,000 of 10,100 events of line 3 to 4$/ })
      .waitFor({ state: 'attached' })
  },
)

/** Kernels of a step as the trace has them, with times in ps. */
const kernelsOf = step =>
  [...torchEvents()]
    .filter(
      event => event.cat === 'kernel' && event.tid === 7 && Math.floor(event.ts / STEP_US) === step,
    )
    .map(event => {
      const start = BigInt(Math.round(event.ts * 1e6))
      return {
        name: event.name,
        source: event.args.source,
        start,
        end: start + BigInt(Math.round(event.dur * 1e6)),
      }
    })

view.test(
  'T53 a frame of the flame graph leads to its rows, by mouse and by keyboard',
  async () => {
    const page = await openProfile(view.url)
    await layout(page, 'Flame')
    const frame = page
      .locator('.flame .frame')
      .filter({ has: page.locator('title', { hasText: /^gemm_up:/ }) })
      .first()
    const made = [...torchEvents()].filter(
      event => event.cat === 'kernel' && event.name === 'gemm_up',
    )
    // A frame is as wide as its share, and says the time of all its rows.
    assert.match(
      await frame.locator('title').textContent(),
      new RegExp('\\b' + made.length + '\\b'),
    )
    await frame.click()
    const name = page.locator('.widget-details .event-name')
    await name.filter({ hasText: 'gemm_up' }).waitFor()
    await until(
      'all of them',
      async () => Number.parseInt(await page.locator('.hits').textContent(), 10) === made.length,
    )
    await ask(page, '')
    await page.keyboard.press('Escape')
    await name.waitFor({ state: 'detached' })
    await frame.focus()
    await page.keyboard.press('Enter')
    await name.filter({ hasText: 'gemm_up' }).waitFor()
  },
)

view.test(
  'frames that only call on are folded in a flame graph, and shown when asked for',
  async () => {
    const page = await openProfile(view.url),
      flame = page.locator('.widget-flame').last(),
      titles = async () =>
        (await flame.locator('.frame title').allTextContents()).map(one => one.split(': ')[0])
    await layout(page, 'Flame')
    await until('the stacks', async () => (await titles()).includes('aten::gemm_up'))
    assert.ok(!(await titles()).includes('cudaLaunchKernel'))
    assert.ok((await titles()).includes('gemm_up'))
    await flame
      .locator('.note', { hasText: /frames? that takes? 90 % of/ })
      .getByText('Show')
      .click()
    await until('all frames', async () => (await titles()).includes('cudaLaunchKernel'))
    await flame.locator('.note').getByText('Fold').click()
    await until('none', async () => !(await titles()).includes('cudaLaunchKernel'))
  },
)

view.test(
  'T53 kernels of a GPU stand below what launched them; by name they are one row',
  async () => {
    const page = await openProfile(view.url + '?o=flame.wrappers%3Dall'),
      frames = page.locator('.flame .frame')
    await layout(page, 'Flame')
    const levelOf = async name =>
      Number(
        await frames
          .filter({
            has: page.locator('title', {
              hasText: new RegExp('^' + name.replace(/[()]/g, '\\$&') + ':'),
            }),
          })
          .first()
          .getAttribute('aria-level'),
      )
    await until('the stacks', async () => (await frames.count()) > 5)
    assert.deepEqual(
      await Promise.all(
        [
          '(each step)',
          'aten::gemm_up',
          'cudaLaunchKernel',
          'gemm_up',
          '(launch not recorded)',
        ].map(levelOf),
      ),
      [2, 3, 4, 5, 1],
    )
    assert.equal(await page.getByLabel('Order', { exact: true }).count(), 0)
    await page.getByLabel('By', { exact: true }).selectOption('name')
    await until('one row', async () =>
      (await frames.evaluateAll(all => all.map(one => one.getAttribute('aria-level')))).every(
        level => level === '1',
      ),
    )
    await page.getByLabel('By', { exact: true }).selectOption('launch')
    await until('the stacks again', async () => (await frames.count()) > 5)
    await page.getByLabel('Rows', { exact: true }).selectOption('host')
    assert.deepEqual(
      await page.getByLabel('By', { exact: true }).locator('option').allTextContents(),
      ['name', 'layer', 'source'],
    )
  },
)

view.test(
  'T53 from a frame to who called its name and what it called, further from there, and back',
  async () => {
    const page = await openProfile(view.url + '?o=flame.wrappers%3Dall'),
      frames = page.locator('.flame .frame'),
      flame = page.locator('.widget-flame').last()
    await layout(page, 'Flame')
    const titled = start =>
      frames.filter({ has: page.locator('title', { hasText: start }) }).first()
    const button = name => flame.getByRole('button', { name, exact: true })
    await until('the stacks', async () => (await frames.count()) > 5)
    assert.equal(await button('Callers and callees').count(), 0)
    await titled(/^cudaLaunchKernel:/).click()
    await button('Callers and callees').click()
    await page.locator('.around-note b', { hasText: /^cudaLaunchKernel$/ }).waitFor()
    // What the server says of it is what stands there: each caller above, each callee below, nearest first.
    const [, generation] = /** @type {any} */ (
      await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map(one => one.name)
          .filter(name => /\/flame\?.*about=cudaLaunchKernel/.test(name))
          .at(-1)
          .match(/(\/api\/.*)$/),
      )
    )
    const { callers, callees } = await page.evaluate(
      route => fetch(route).then(answer => answer.json()),
      generation,
    )
    const high = async () =>
      Object.fromEntries(
        await frames.evaluateAll(all =>
          all.map(one => [
            one.querySelector('title').textContent.split(': ')[0],
            Number(one.querySelector('rect').getAttribute('y')),
          ]),
        ),
      )
    const at = await high(),
      own = at.cudaLaunchKernel
    const total = callees.nodes[0].total,
      sum = part =>
        part.nodes
          .filter(node => node.parent === 1)
          .reduce((all, node) => all + BigInt(node.total), 0n)
    assert.equal(String(sum(callers)), total)
    for (const node of callers.nodes.filter(node => node.parent === 1))
      assert.equal(own - at['From ' + node.name], 19, node.name)
    for (const node of callees.nodes.filter(node => node.parent === 1))
      assert.equal(at[node.name] - own, 19, node.name)
    assert.ok(
      Math.min(...Object.values(at)) === 0 && at['From (each step)'] < at['From aten::gemm_up'],
      JSON.stringify(at),
    )
    assert.equal(await frames.and(page.locator('[aria-selected="true"]')).count(), 1)
    await page.locator('.around-note', { hasText: 'nothing is' }).waitFor({ state: 'detached' })
    await shot(page, 'callers')
    // Where there is no room for all of it the name is in sight.
    await titled(/^From aten::gemm_up:/).click()
    await page.locator('.around-note b', { hasText: /^aten::gemm_up$/ }).waitFor()
    const box = flame.locator('.scrolled')
    await box.evaluate(element => {
      element.style.maxHeight = '40px'
    })
    await titled(/^cudaLaunchKernel:/).focus()
    await box.evaluate(element => {
      element.scrollTop = 0
    })
    await page.keyboard.press('Enter')
    await page.locator('.around-note b', { hasText: /^cudaLaunchKernel$/ }).waitFor()
    await until('the name in sight', async () => {
      const [one, all] = [
        await frames.and(page.locator('[aria-selected="true"]')).boundingBox(),
        await box.boundingBox(),
      ]
      return one.y >= all.y && one.y + one.height <= all.y + all.height + 1
    })
    await box.evaluate(element => {
      element.style.maxHeight = ''
    })
    // The address has it; a caller is the next name, by keyboard as well.
    await until('the address', () => page.url().includes('flame.about'))
    await titled(/^From aten::gemm_up:/).focus()
    await page.keyboard.press('Enter')
    await page.locator('.around-note b', { hasText: /^aten::gemm_up$/ }).waitFor()
    await until('the address', () => settingOf(page, 'flame.about') === 'aten::gemm_up')
    await page.reload()
    await page.locator('.around-note b', { hasText: /^aten::gemm_up$/ }).waitFor()
    await button('Flame graph').click()
    await page.locator('.around-note').waitFor({ state: 'detached' })
    await until('the root it came from', async () => (await button('Whole').count()) === 1)
  },
)

view.test(
  'T53 the flame graph is of the work of devices, or of threads: steps and programs are the same time once more',
  async () => {
    const page = await openProfile(await view.add(SYNTHETIC)),
      names = async () =>
        (await page.locator('.flame .frame title').allTextContents()).map(
          text => text.split(': ')[0],
        )
    await layout(page, 'Flame')
    await page.locator('.flame .frame').first().waitFor()
    const around = name => /^jit_train_step|^\d+$/.test(name),
      ofHost = name => /^PjRt|^ProfilerStep/.test(name)
    const devices = await names()
    assert.ok(
      devices.includes('while.1') &&
        devices.includes('fusion.14') &&
        !devices.some(around) &&
        !devices.some(ofHost),
      devices.join(),
    )
    await page.getByLabel('Rows', { exact: true }).selectOption('host')
    const threads = await until('threads', async () => {
      const now = await names()
      return now.some(ofHost) && now
    })
    assert.ok(!threads.includes('while.1') && !threads.some(around), threads.join())
    await page.getByLabel('Rows', { exact: true }).selectOption('all')
    await until('all', async () => {
      const now = await names()
      return now.includes('while.1') && now.some(around)
    })
    // Steps of the host are slivers beside the devices' work: a frame of several leads to them, and what they call.
    await page.locator('.flame .frame', { hasText: 'ProfilerStep#0, ' }).click()
    const several = await until('those of the host', async () => {
      const now = await names()
      return now.includes('ProfilerStep#3') && now
    })
    assert.ok(
      several.includes('PjRtExecutable::Execute') &&
        several.includes('all-reduce.2') &&
        !several.includes('while.1') &&
        !several.some(around),
      several.join(),
    )
    await page.getByRole('button', { name: 'Whole', exact: true }).click()
    await until('the whole', async () => (await names()).includes('while.1'))
  },
)

view.test(
  'T53 a segment of the critical path leads to its event, by mouse and by keyboard',
  async () => {
    const page = await openProfile(view.url)
    await layout(page, 'Flame')
    await openTab(page, 'Critical path')
    await page.locator('.segment').first().waitFor()
    const widest = await page
      .locator('.segment')
      .evaluateAll(all =>
        all
          .map(one => Number(one.getAttribute('width')))
          .reduce((most, width, i, list) => (width > list[most] ? i : most), 0),
      )
    const segment = page.locator('.segment').nth(widest)
    await segment.focus()
    await page.keyboard.press('Enter')
    const shown = page.locator('.widget-details h2')
    await shown.waitFor()
    const name = await shown.textContent()
    // It is the row that the answer names for it, and runs while the segment does.
    const asked = await page.evaluate(async () => {
      const id = location.pathname.split('/').pop(),
        { gen } = await (await fetch('/api/v1/p/' + id)).json()
      for (;;) {
        const answer = await fetch('/api/v1/p/' + id + '/' + gen + '/critical')
        if (answer.status === 200) return (await answer.json()).segments
      }
    })
    const longest = asked.reduce((most, one) =>
        BigInt(one.end) - BigInt(one.start) > BigInt(most.end) - BigInt(most.start) ? one : most,
      ),
      fields = await fieldsOf(page)
    const drawn_ = asked.find(one => one.row === fields.row)
    assert.ok(
      drawn_
        ? BigInt(drawn_.end) - BigInt(drawn_.start) ===
            BigInt(longest.end) - BigInt(longest.start) &&
            psOf(fields.start.split(' ')[0]) <= BigInt(drawn_.start) &&
            psOf(fields.end.split(' ')[0]) >= BigInt(drawn_.end)
        : longest.row === null,
      JSON.stringify([fields.row, longest]),
    )
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'What to do first' }).waitFor()
    await segment.click()
    await shown.filter({ hasText: name }).waitFor()
    const kinds = await page.locator('.widget-critical .totals dt').allTextContents()
    const rows = await table('critical_path', trace).catch(() => table('critical', trace))
    assert.ok(kinds.length > 0 && rows.length > 0)
  },
)

view.test('T67 SQL: a row leads to its event; an error says line and column', async () => {
  const page = await openProfile(view.url)
  await layout(page, 'SQL')
  const run = async text => {
    await page.locator('.sql-editor .cm-content').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(text)
    await page.keyboard.press('Control+Enter')
  }
  await run(
    "SELECT name, duration_ps, row FROM events WHERE name = 'flash_bwd' ORDER BY duration_ps DESC LIMIT 3",
  )
  const grid = page.getByRole('grid', { name: 'Result' })
  await grid.locator('tbody tr').nth(2).waitFor()
  // What the trace was made of has the same three.
  const longest = [...torchEvents()]
      .filter(event => event.cat === 'kernel' && event.name === 'flash_bwd')
      .sort((a, b) => b.dur - a.dur)
      .slice(0, 3),
    ps = us => BigInt(Math.round(us * 1e6))
  assert.deepEqual(
    await grid
      .locator('td[data-column=duration_ps] span')
      .evaluateAll(all => all.map(one => one.title))
      .then(all => all.map(text => psOf(text.replace(' ns', '')))),
    longest.map(event => ps(event.dur)),
  )
  await grid.locator('tbody tr').first().click()
  await page.locator('.event-name', { hasText: 'flash_bwd' }).waitFor()
  assert.deepEqual(
    [
      psOf((await fieldsOf(page)).start.replace(' ns', '')),
      psOf((await fieldsOf(page)).duration.split(' ')[0]),
    ],
    [ps(longest[0].ts), ps(longest[0].dur)],
  )
  await run(
    "SELECT count(*) AS n, sum(duration_ps) AS total_ps FROM events WHERE category = 'kernel'",
  )
  const kernels = [...torchEvents()].filter(event => event.cat === 'kernel')
  await until('the sum', async () => String(await cellsOf(grid, 'n')) === String(kernels.length))
  assert.equal(
    psOf(
      (await grid.locator('td[data-column=total_ps] span').getAttribute('title')).replace(
        ' ns',
        '',
      ),
    ),
    kernels.reduce((all, event) => all + ps(event.dur), 0n),
  )
  await run('SELECT name\nFROM nowhere')
  await page.locator('.sql-result .failed', { hasText: /nowhere/ }).waitFor()
  await run('SELECT name\nFRM events')
  const failed = page.locator('.sql-result .failed', { hasText: /line \d+, column \d+/ })
  await failed.waitFor()
  assert.match(await failed.textContent(), /line 2, column/)
})

view.test(
  'SQL has its tables and columns beside it, each by the name that a query uses; a click puts it into the text',
  async () => {
    const page = await openProfile(view.url)
    await layout(page, 'SQL')
    const listed = await page
      .locator('.sql-schema details')
      .evaluateAll(all =>
        all.map(one => [
          one.querySelector('summary').textContent.trim().split(/\s/)[0],
          [...one.querySelectorAll('button')].map(button => button.textContent),
        ]),
      )
    assert.equal(listed[0][0], 'events')
    assert.ok(listed.length > 10)
    const { gen } = await (
      await fetch(view.server.base + '/api/v1/p/' + view.url.split('/').pop())
    ).json()
    for (const [table, columns] of listed) {
      const { columns: got } = await write(
        view.server.base,
        'POST',
        'p/' + view.url.split('/').pop() + '/' + gen + '/sql',
        {
          text:
            'SELECT ' +
            columns.map(name => '"' + name + '"').join(', ') +
            ' FROM ' +
            table +
            ' LIMIT 1',
          limit: 1,
        },
      )
      // A name that is no column would be a text, called by its quotes.
      assert.deepEqual(
        got.map(one => one.name),
        columns,
        table,
      )
    }
    await page.locator('.sql-editor .cm-content').click()
    await page.keyboard.press('Control+a')
    await page.locator('.sql-schema summary').first().click()
    await page
      .locator('.sql-schema')
      .getByRole('button', { name: 'duration_ps', exact: true })
      .click()
    assert.equal(
      (await page.locator('.sql-editor .cm-content').textContent()).trim(),
      'duration_ps',
    )
  },
)

view.test('T68 Memory has the peak of the report, and what is alive at a moment', async () => {
  const page = await openProfile(view.url)
  await layout(page, 'Memory')
  const rows = await table('memory', trace),
    grid = page
      .locator('.widget-memory')
      .getByRole('grid')
      .filter({ has: page.locator('td[data-column=peak_bytes]') })
      .first()
  await grid.locator('tbody tr').first().waitFor()
  const peaks = await grid
    .locator('td[data-column=peak_bytes] span')
    .evaluateAll(all => all.map(one => one.title))
  assert.deepEqual(peaks.map(Number).sort(), rows.map(row => Number(row.peak_bytes)).sort())
  const told = [...torchEvents()].filter(event => event.name === '[memory]'),
    most = Math.max(...told.map(event => event.args['Total Allocated']))
  const { series } = await page.evaluate(async () => {
    const id = location.pathname.split('/').pop(),
      { gen } = await (await fetch('/api/v1/p/' + id)).json()
    return (await fetch('/api/v1/p/' + id + '/' + gen + '/memory')).json()
  })
  assert.equal(Math.max(...series.map(point => Number(point[1]))), most)
  assert.match(
    await page.locator('.widget-memory figcaption').textContent(),
    /^Bytes over the window: peak of the run 2.00 MiB at /,
  )
  await shot(page, 'memory')
  for (const window of ['11000000..15000000', '23500000..24000000']) {
    await ask(page, '@' + window)
    const { t0 } = await windowOf(page),
      total = told.filter(event => BigInt(Math.round(event.ts * 1e6)) <= t0).pop().args[
        'Total Allocated'
      ]
    await page
      .locator('.widget-memory')
      .getByRole('button', { name: 'Alive when the window begins' })
      .click()
    await page
      .locator('.widget-memory h2', {
        hasText: 'Alive at ' + window.split('..')[0].replace(/(\d)(?=(\d{3})+$)/g, '$1,'),
      })
      .waitFor()
    await rest(page)
    const held = await page
      .getByRole('grid', { name: 'Alive' })
      .locator('td[data-column=bytes] span')
      .evaluateAll(all => all.map(one => Number(one.title.replace(/,| byte/g, ''))))
    assert.equal(
      held.reduce((sum, one) => sum + one, 0),
      total,
      window,
    )
  }
  // Its axis, its caption and the ruler count from one zero.
  const ps = text => {
    const [, number, unit] = /(-?[\d.,]+) (ps|ns|us|ms|s)$/.exec(text.trim())
    return Number(number.replaceAll(',', '')) * { ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12 }[unit]
  }
  await ask(page, '@11000000..15000000')
  await page.keyboard.press('m')
  await page.keyboard.press('0')
  for (const zero of ["nprof's origin", 'start of the first step', 'Marker 1']) {
    await page.getByLabel('Zero of the ruler').selectOption(zero)
    await drawn(page)
    const shown = await page.locator('.widget-memory figure').evaluate(figure => ({
      caption: figure.querySelector('figcaption').textContent,
      at: Number(figure.querySelector('circle').getAttribute('cx')),
      ticks: [...figure.querySelectorAll('text[text-anchor=middle]')].map(tick => [
        Number(tick.getAttribute('x')),
        tick.textContent,
      ]),
    }))
    const [[x0, first], [x1, last]] = [shown.ticks[0], shown.ticks.at(-1)],
      at = ps(first) + ((shown.at - x0) / (x1 - x0)) * (ps(last) - ps(first))
    assert.ok(
      Math.abs(at - ps(shown.caption)) < Math.abs(ps(last) - ps(first)) / 200,
      zero + ': ' + JSON.stringify(shown),
    )
  }
})

view.test('the chart of Memory has the time axis of the lanes above it', async () => {
  const page = await openProfile(view.url)
  const { peak } = await page.evaluate(async () => {
    const id = location.pathname.split('/').pop(),
      { gen } = await (await fetch('/api/v1/p/' + id)).json()
    return (await fetch('/api/v1/p/' + id + '/' + gen + '/memory')).json()
  })
  await openTab(page, 'Memory')
  const dot = page.locator('.widget-memory circle'),
    lanes = page.locator('.widget-timeline .over')
  for (const width of [1440, 1024, 600]) {
    await page.setViewportSize({ width, height: 900 })
    for (const keys of [['0'], ['w', 'w', 'd']]) {
      for (const key of keys) await page.keyboard.press(key)
      await rest(page)
      await drawn(page)
      const { t0, t1 } = await windowOf(page),
        { x, width: wide } = await lanes.boundingBox(),
        at = x + (Number(BigInt(peak.t) - t0) / Number(t1 - t0)) * wide
      if (at < x || at > x + wide) {
        assert.equal(await dot.count(), 0)
        continue
      }
      const own = await dot.boundingBox()
      assert.ok(
        Math.abs(own.x + own.width / 2 - at) < 2,
        `${width}: the peak lies at ${own.x + own.width / 2}, in the lanes at ${at}`,
      )
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await ask(page, '@11000000..11000100')
  await page.locator('.widget-memory figcaption').getByRole('button', { name: 'Show' }).click()
  await dot.waitFor()
})

view.test(
  'what is skipped of the head of a file is a problem, and no warning: no figure needs it',
  async () => {
    const page = await openProfile(view.url)
    assert.equal(await page.locator('.doubt').count(), 0)
    await openTab(page, 'Problems')
    const passed = page.getByRole('grid', { name: 'Skipped' })
    await passed.locator('tbody tr', { hasText: 'member of deviceProperties' }).waitFor()
  },
)

view.test('T69 Collectives are those of the report', async () => {
  const page = await openProfile(view.url)
  await openTab(page, 'Communication')
  const rows = await table('collectives', trace),
    grid = page.locator('.widget-collectives').getByRole('grid').first()
  await grid.locator('tbody tr').first().waitFor()
  assert.equal(Number(await grid.getAttribute('aria-rowcount')), rows.length + 1)
  assert.ok((await cellsAre(grid, rows)) > 5)
  // One all-reduce of a megabyte a step, each of 200 us.
  const made = [...torchEvents()].filter(event => event.name.startsWith('nccl')),
    us = made.reduce((all, event) => all + event.dur, 0)
  assert.deepEqual(
    [await cellsOf(grid, 'kind'), await cellsOf(grid, 'calls')],
    [['allreduce'], [String(made.length)]],
  )
  assert.equal(
    psOf(
      (await grid.locator('td[data-column=total_ns] span').getAttribute('title')).replace(
        ' ns',
        '',
      ),
    ),
    BigInt(us) * 1000000n,
  )
  await grid.locator('tbody tr').first().click()
})

view.test('T70 Verdict says what bounds each step, as the report does', async () => {
  const page = await openProfile(view.url)
  await openTab(page, 'Verdict')
  const rows = await table('bound', trace),
    grid = page.locator('.widget-verdict').getByRole('grid').first()
  await grid.locator('tbody tr').first().waitFor()
  assert.ok((await cellsAre(grid, rows)) > 3)
  assert.deepEqual(
    (await cellsOf(grid, 'step')).map(cell => cell.trim()),
    Array.from({ length: 5 }, (_, step) => 'ProfilerStep#' + step),
  )
  // The host launches kernels that are shorter than the time between launches: it bounds each step.
  const column = Object.keys(rows[0]).find(key => /^(bound|verdict|kind)/.test(key))
  assert.deepEqual([...new Set((await cellsOf(grid, column)).map(cell => cell.trim()))], ['host'])
  await grid.locator('tbody tr').nth(3).click()
  await until('the step', async () => {
    const { t0, t1 } = await windowOf(page),
      start = BigInt(3 * STEP_US) * 1000000n
    return t0 <= start && t1 > start && t1 - t0 < 2n * BigInt(STEP_US) * 1000000n
  })
})

/** The tables that the command of a widget prints, by title: what is copied says all of it, and only the format is another here. */
async function tablesOfCommand(widget) {
  const page = widget.page()
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await widget
    .getByTitle(/^Copy as command/)
    .first()
    .click()
  const command = (
    await until('the copy', () => page.evaluate(() => navigator.clipboard.readText()))
  ).replace(/^nprof report /, '')
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', process.env.NPROF + ' report -q --format json ' + command],
    { maxBuffer: 1 << 28 },
  )
  return Object.fromEntries(
    JSON.parse(stdout).tables.map(one => [
      one.title,
      one.rows.map(row => Object.fromEntries(one.columns.map((column, i) => [column, row[i]]))),
    ]),
  )
}

/** Whether a table of a widget has the rows of one that a command printed, in its own order; of long ones it shows the first. */
async function shows(grid, rows) {
  await until(
    'the ' + rows.length + ' rows of ' + (await grid.getAttribute('aria-label')),
    async () => Number(await grid.getAttribute('aria-rowcount')) - 1 === rows.length,
  )
  const seen = await grid
    .locator('tbody tr')
    .evaluateAll(all =>
      all.map(row =>
        [...row.cells].map(cell => [
          cell.dataset.column,
          cell.querySelector('.unknown')
            ? null
            : (cell.querySelector('span[title]')?.title || cell.textContent).trim(),
        ]),
      ),
    )
  const is = (row, [column, text]) => {
    const inPs = column.replace(/_ns$/, '_ps'),
      key = inPs in row ? inPs : column,
      value = row[key]
    // Gaps that are summed have no start in the command, and no row that ended them.
    if (key === 'ended_by' && text === 'shorter gaps together')
      return value === null && row.start_ps === null
    if (value === null || text === null) return value === (text || null)
    if (/_ps$/.test(key))
      return (
        (/ ps$/.test(text) ? Number(text.slice(0, -3)) : Number(psOf(text.replace(' ns', '')))) ===
        Number(value)
      )
    if (typeof value === 'object') return text === JSON.stringify(value)
    return (
      typeof value === 'boolean' ||
      (typeof value === 'number' ? Number(text) === value : text === String(value))
    )
  }
  const left = [...rows]
  for (const cells of seen) {
    const at = left.findIndex(row => cells.every(cell => is(row, cell)))
    assert.ok(
      at >= 0,
      cells.join(' ') + ' is of no row of the command; left: ' + JSON.stringify(left.slice(0, 3)),
    )
    left.splice(at, 1)
  }
  return seen.flat().filter(([, text]) => /^[\d.,]+( ns| ps)?$/.test(text ?? '')).length
}

const WINDOWED = {
  verdict: ['Verdict', 3],
  layers: ['Layers', 1],
  transfers: ['Transfers', 1],
  collectives: ['Communication', 1],
  steps: ['Steps', 1],
  gaps: ['Gaps', 1],
  summary: ['Summary', 2],
  latency: ['Latency', 1],
  operators: ['Operators', 1],
  critical: ['Critical path', 1],
}
view.test(
  'tables of the window and of the selection are those of the command that their widget copies',
  async () => {
    const page = await openProfile(await view.add(SYNTHETIC), {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const whole = {}
    // A range within a step, and one over an edge of steps; then an event that a search finds.
    for (const [name, act] of Object.entries({
      whole: () => ask(page, '@0..30000000'),
      window: () => ask(page, '@5000000..5200000'),
      later: () => ask(page, '@3000000..9000000'),
      selection: async () => {
        await find(page, 'name=fusion.14', 'fusion.14')
        await page.locator('.timeline .over').focus()
        await page.keyboard.press('r')
      },
    })) {
      await act()
      await scopeTo(page, name === 'later' ? 'window' : name)
      for (const [id, [title, least]] of Object.entries(WINDOWED)) {
        await openTab(page, title)
        await rest(page)
        const widget = page.locator('.widget-' + id),
          said = await tablesOfCommand(widget),
          level = id === 'operators' ? await widget.getByLabel('Level').inputValue() : '',
          grids = widget.getByRole('grid'),
          titles = await grids.evaluateAll(all => all.map(one => one.getAttribute('aria-label')))
        assert.ok(titles.length >= least, id + ' has ' + titles)
        let numbers = 0
        for (const [i, table] of titles.entries())
          numbers += await shows(
            grids.nth(i),
            (said[table] ?? said[Object.keys(said)[0]] ?? []).filter(
              row => !level || row.level === level,
            ),
          )
        const cells = await widget.locator('tbody').allTextContents()
        if (name === 'whole') whole[id] = cells
        if (name === 'later') {
          assert.ok(numbers > 1, id + ' has ' + numbers + ' numbers')
          assert.notDeepEqual(cells, whole[id], id)
          await shot(page, 'window-' + id)
        }
      }
    }
  },
)

/** What a widget gives as CSV, with numbers where a field is one. */
async function savedBy(widget, button = 'CSV') {
  const [download] = await Promise.all([
    widget.page().waitForEvent('download', { timeout: 2000 }),
    widget.getByRole('button', { name: button, exact: true }).click({ timeout: 1000 }),
  ])
  const [head, ...rows] = fs
    .readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n')
    .map(line => fieldsOfLine(';,' + line).slice(1)) // its first field may be empty
  return rows.map(row =>
    Object.fromEntries(
      head.map((key, i) => [key, /^-?[\d.]+(e-?\d+)?$/.test(row[i]) ? Number(row[i]) : row[i]]),
    ),
  )
}

/** Own time and count of each stack of the frames that Flame gives; what has no own row is only around others. */
const stacksOf = nodes => {
  const byId = new Map(nodes.map(node => [node.id, node])),
    nameOf = node => String(node.name).replaceAll(';', ':') || '(no name)'
  const stackOf = node =>
    (byId.get(node.parent) ? stackOf(byId.get(node.parent)) + ';' : '') + nameOf(node)
  return nodes
    .filter(node => node.count)
    .map(node => [stackOf(node), node.self_ps, node.count].join(' '))
    .sort()
}

/** Own time, time of all and count of each frame of the two trees around a name, by its stack from that name on. */
function framesAround(nodes) {
  return ['callers', 'callees']
    .flatMap(part => {
      const byId = new Map(nodes.filter(node => node.part === part).map(node => [node.id, node]))
      const stackOf = node =>
        (byId.get(node.parent) ? stackOf(byId.get(node.parent)) + ';' : '') +
        (String(node.name).replaceAll(';', ':') || '(no name)')
      return [...byId.values()].map(node =>
        [part, stackOf(node), node.self_ps, node.total_ps, node.count].join(' '),
      )
    })
    .sort()
}

/** The same of what the command prints: each stack that has the name, cut there. Of a caller all is that of the name below it. */
function framesOfCut(rows, name) {
  const frames = new Map()
  const add = (part, stack, self, row) => {
    const one = frames.get(part + stack) ?? { part, stack, self: 0, total: 0, count: 0 }
    frames.set(
      part + stack,
      Object.assign(one, {
        self: one.self + (self ? row.self_ps : 0),
        total: one.total + row.self_ps,
        count: one.count + (self ? row.count : 0),
      }),
    )
  }
  for (const row of rows)
    for (const part of ['callers', 'callees']) {
      const names = row[part].split(';')
      names.forEach((_, i) =>
        add(
          part,
          names.slice(0, i + 1).join(';'),
          part === 'callers' ? row.callees === name : i === names.length - 1,
          row,
        ),
      )
    }
  return [...frames.values()]
    .filter(one => one.total || one.count)
    .map(one => [one.part, one.stack, one.self, one.total, one.count].join(' '))
    .sort()
}

/** Rows of Selection, which prints no share: that is of rows that the query does not choose. */
const sumsOf = (rows, by, named) =>
  rows
    .map(row =>
      [
        by === 'track' ? [row.process, row.thread].filter(Boolean).join(' › ') : row[by],
        row.count,
        ...['inside', 'self_inside', 'mean', 'median', 'p99', 'min', 'max'].map(
          key => row[named(key)] ?? '',
        ),
      ].join(' | '),
    )
    .sort()

/** Waits until a widget shows what its command printed; meanwhile its button may go. */
async function same(what, printed, show) {
  let shown = null
  await until(
    what,
    async () =>
      String((shown = await show().catch(error => 'failed: ' + error.stack))) === String(printed),
  ).catch(() => assert.deepEqual(shown, printed, what))
}

/** Rows of counters as the CSV has them, or the command. */
const countersOf = (rows, trackOf, known) =>
  rows
    .map(row =>
      [
        row.name,
        trackOf(row),
        row.unit ?? '',
        row.count,
        row.min ?? '',
        row.mean ?? '',
        row.max ?? '',
        row[known],
      ].join(' | '),
    )
    .sort()

/** Counters of the selection beside what the last line of its command prints. */
async function sameCounters(selection, what) {
  const printed = countersOf(
    (await printedBy(selection)).at(-1),
    row => [row.process, row.thread].filter(Boolean).join(' › '),
    'known_ps',
  )
  await same(what + ' counters', printed, async () =>
    countersOf(await savedBy(selection, 'CSV of counters'), row => row.track, 'known'),
  )
  return printed.length
}

const SCOPES_OF_ROWS = [
  ['', 'whole'],
  ['t=5000000..5200000', 'window'],
  ['a=4000000..9000000@6.7.13', 'selection'],
  ['a=4000000..17000000@layer:0@6;1@10', 'selection'],
  ['p=6200000..12400000@1', 'selection'],
]
view.test(
  'Selection, Flame and Problems print by their command what they show: of the run, of windows, of areas, also of groups',
  async () => {
    const url = await view.add(SYNTHETIC)
    let counted = 0
    for (const [part, scope] of SCOPES_OF_ROWS) {
      const page = await openProfile(
        url + (url.includes('?') ? '&' : '?') + [part, 's=' + scope].filter(Boolean).join('&'),
        AGAIN,
      )
      await page.locator('.timeline .over').focus()
      await addWidget(page, /^Selection\b/)
      const selection = page.locator('.widget-selection').last(),
        flame = page.locator('.widget-flame').last()
      assert.equal(await scopeOf(selection), scope)
      for (const by of ['name', 'track', 'category']) {
        await selection.getByLabel('By', { exact: true }).selectOption(by)
        const [rows] = await printedBy(selection),
          printed = sumsOf(
            rows.map(row => ({ ...row, category: row.category ?? '', name: row.name ?? '' })),
            by,
            key => (key === 'self_inside' ? 'self' : key) + '_ps',
          )
        await same(part + ' by ' + by, printed, async () =>
          sumsOf(
            (await savedBy(selection)).map(row => ({
              ...row,
              [by]: row.name,
              process: row.name,
              thread: '',
            })),
            by,
            key => key,
          ),
        )
        assert.ok(printed.length > 0, part)
      }
      counted += (await selection.getByRole('button', { name: 'CSV of counters' }).count())
        ? await sameCounters(selection, part)
        : 0
      await page.locator('.timeline .over').focus()
      await addWidget(page, /^Flame\b/)
      for (const [rows, by] of [
        ['devices', 'name'],
        ['host', 'name'],
        ['all', 'layer'],
        ['all', 'source'],
      ]) {
        await flame.getByLabel('Rows').selectOption(rows)
        await flame.getByLabel('By', { exact: true }).selectOption(by)
        const [printed] = await printedBy(flame),
          stacks = printed.map(one => [one.stack, one.self_ps, one.count].join(' ')).sort()
        await same([part, rows, by].join(' '), stacks, async () =>
          (await flame.getByRole('button', { name: 'CSV', exact: true }).count())
            ? stacksOf(await savedBy(flame))
            : [],
        )
        assert.ok(by !== 'name' || stacks.length > 0 || rows === 'host', part + rows)
      }
    }
    assert.ok(counted > 10, counted + ' counters')
    const page = await openProfile(url)
    await page.locator('.timeline .over').focus()
    await addWidget(page, /^Problems\b/)
    const problems = page.locator('.widget-problems').last(),
      [, facts, [{ unclosed }]] = await printedBy(problems)
    assert.equal(unclosed, 0)
    const grid = problems.getByRole('grid', { name: 'Facts' }),
      cell = name => cellsOf(grid, name)
    assert.deepEqual(
      (await cell('value')).map((text, i) => text.trim()).sort(),
      facts.map(one => String(one.value)).sort(),
    )
  },
)

view.test(
  'the command of counters is of what holds in the range: of none before the first, none that is no number, none of another track',
  async () => {
    const value = (name, tid, ts, number) => ({
      ph: 'C',
      pid: 1,
      tid,
      ts,
      name,
      args: { value: number },
    })
    const events = [
      ...[
        [1000, 3],
        [2500, 0.1],
        [4000, 7.25],
        [4000, 1.5],
        [9000, -1e300],
        [9000.5, 1e300],
      ].map(([ts, number]) => value('depth;of', 1, ts, number)),
      ...[
        [20000, 1],
        [20001, 2],
      ].map(([ts, number]) => value('late', 1, ts, number)),
      ...Array.from({ length: 1500 }, (_, i) => value('many', 2, i * 17.001, Math.sin(i) / 3)),
      { ph: 'X', pid: 1, tid: 1, ts: 0, dur: 30000, name: 'all' },
      { ph: 'M', pid: 1, name: 'process_name', args: { name: 'python3' } },
    ]
    const url = await view.add(put('counted.json', { traceEvents: events }))
    for (const [part, scope] of [
      ['', 'whole'],
      ['t=3000000..9000200', 'window'],
      ['t=1000..900000', 'window'],
      ['a=4000000..20000500@', 'selection'],
      ['p=2500000..2500001@1', 'selection'],
    ]) {
      const page = await openProfile(
        url + '?' + [part, 's=' + scope].filter(Boolean).join('&'),
        AGAIN,
      )
      await addWidget(page, /^Selection\b/)
      const selection = page.locator('.widget-selection').last()
      assert.equal(await scopeOf(selection), scope)
      assert.equal(await sameCounters(selection, part), 3)
    }
  },
)

view.test(
  'Flame by launch, and around a name, prints by its command what it shows: of the run, a window, an area and a step',
  async () => {
    const bySteps = torchTrace(),
      several = {
        ...bySteps,
        traceEvents: [
          ...bySteps.traceEvents,
          ...[0, 1].flatMap(i =>
            [
              ['a;b', 200 + i, 60],
              ['inner', 210 + i, 30],
              ['a;b', 215 + i, 20],
              ['', 220 + i, 5],
            ].map(([name, ts, dur]) => ({
              ph: 'X',
              cat: 'cpu_op',
              name,
              pid: 100,
              tid: 2,
              ts: ts + 100 * i,
              dur,
            })),
          ),
        ],
      }
    const url = await view.add(put('around.pt.trace.json', several))
    const both = await view.add(
      put('both/a.pt.trace.json', several),
      put('both/b.pt.trace.json', torchTrace(2)),
    )
    let frames = 0
    for (const about of ['', 'gemm_up']) {
      const page = await openProfile(
        both + '?o=' + encodeURIComponent(about && 'flame.about=' + about),
        AGAIN,
      )
      await addWidget(page, /^Flame\b/)
      const flame = page.locator('.widget-flame').last(),
        [printed] = await printedBy(flame),
        wanted = about
          ? framesOfCut(printed, about)
          : printed.map(one => [one.stack, one.self_ps, one.count].join(' ')).sort()
      await same('of two inputs ' + about, wanted, async () =>
        (about ? framesAround : stacksOf)(await savedBy(flame)),
      )
      assert.ok(
        ['a.pt.trace.json', 'b.pt.trace.json'].every(input =>
          wanted.some(one => one.includes(input)),
        ),
        wanted.join(),
      )
    }
    for (const [part, scope] of [
      ['', 'whole'],
      ['t=10200000..31500000', 'window'],
      ['a=10200000..12000000@', 'selection'],
      ['p=20000000..29900000@ProfilerStep%232', 'selection'],
    ]) {
      for (const [rows, by, about] of [
        ['', '', 'cudaLaunchKernel'],
        ['host', 'name', 'aten::gemm_up'],
        ...(part
          ? []
          : [
              ['', '', '(each step)'],
              ['', '', 'gemm_up'],
              ['host', 'name', 'a;b'],
              ['host', 'name', 'inner'],
              ['host', 'name', 'no such name'],
              ['all', 'source', 'mlp.py:8'],
            ]),
      ]) {
        const widget = new URLSearchParams(
          Object.entries({ 'flame.rows': rows, 'flame.by': by, 'flame.about': about }).filter(
            ([, value]) => value,
          ),
        ).toString()
        const page = await openProfile(
          url +
            '?' +
            [part, 's=' + scope, 'o=' + encodeURIComponent(widget)].filter(Boolean).join('&'),
          AGAIN,
        )
        await addWidget(page, /^Flame\b/)
        const flame = page.locator('.widget-flame').last(),
          shown = async of =>
            (await flame.getByRole('button', { name: 'CSV', exact: true }).count())
              ? of(await savedBy(flame))
              : []
        const wanted = framesOfCut((await printedBy(flame))[0], about.replaceAll(';', ':'))
        await same([part, rows, by, about].join(' '), wanted, () => shown(framesAround))
        assert.equal(wanted.length > 0, about !== 'no such name', part + about)
        frames += wanted.length
        // And all of the graph.
        await flame.getByRole('button', { name: 'Flame graph', exact: true }).click()
        const stacks = (await printedBy(flame))[0]
          .map(one => [one.stack, one.self_ps, one.count].join(' '))
          .sort()
        await same([part, rows, by].join(' '), stacks, () => shown(stacksOf))
        assert.ok(stacks.length > 2, part)
      }
    }
    assert.ok(frames > 100, frames + ' frames')
  },
)

view.test('Findings and Roofline of a part are those of the command that they copy', async () => {
  const page = await openProfile(await view.add(SYNTHETIC), {
      permissions: ['clipboard-read', 'clipboard-write'],
    }),
    told = new Set()
  await addWidget(page, /^Roofline\b/)
  await addWidget(page, /^Findings\b/)
  const findings = page.locator('.widget-findings').last(),
    roofline = page.locator('.widget-roofline').last(),
    points = roofline.getByRole('grid', { name: 'Points of the roofline' })
  const words = text => text.replace(/\s+/g, ' ')
  for (const [scope, range] of [
    ['whole', '@0..30000000'],
    ['window', '@3000000..9000000'],
    ['window', '@15000000..16000000'],
  ]) {
    await ask(page, range)
    await addWidget(page, /^Findings\b/)
    await scopeTo(findings, scope)
    // A window is asked for a moment after it has changed: until then those of the last one stand.
    let texts = []
    await until('findings of that part, all of them of the command', async () => {
      const title = await findings.getByTitle(/^Copy as command/).getAttribute('title'),
        command = title.replace('Copy as command: nprof ', '').replace('report', 'report -q'),
        { stdout } = await promisify(execFile)('sh', ['-c', process.env.NPROF + ' ' + command])
      texts = (await findings.locator('.findings li p:first-child').allTextContents()).map(text =>
        words(text.replace(/ Show$/, '')).trim(),
      )
      return (
        texts.length > 1 && texts.every(text => words(stdout).includes(text) && !told.has(text))
      )
    })
    texts.forEach(text => told.add(text))
    await shot(page, 'findings-' + told.size)
    await addWidget(page, /^Roofline\b/)
    const { Roofline: _r, ...tables } = await tablesOfCommand(roofline),
      mfu = [_r, ...Object.values(tables)].flat().filter(row => row && 'intensity' in row)
    const wanted = mfu.filter(
      row =>
        row.operator &&
        !row.operator.startsWith('(') &&
        row.step === null &&
        row.intensity !== null &&
        row.time_ps > 0,
    )
    await until(
      'its points',
      async () => (await points.locator('tbody tr').count()) === wanted.length,
    )
    const times = await points
      .locator('td[data-column=time] span')
      .evaluateAll(all => all.map(one => one.title))
    assert.deepEqual(
      times.map(text => String(psOf(text.replace(' ns', '')))).sort(),
      wanted.map(row => String(row.time_ps)).sort(),
    )
    assert.equal(
      await roofline.locator('circle').count(),
      wanted.filter(row => row.flops > 0).length,
    )
    await shot(page, 'roofline-' + told.size)
  }
  // Where nothing ran there is no point, and the widget says why.
  await ask(page, '@15400000..15600000')
  await roofline
    .locator('.unknown', { hasText: 'in this part of the run' })
    .or(points)
    .first()
    .waitFor()
})

view.test(
  'Code counts the events of a line that touch the window, and outlines those alone',
  async () => {
    const page = await openProfile(view.url)
    await layout(page, 'Code')
    const code = page.locator('.widget-code'),
      rows = (await csvOf(trace, ['kind', 'start_ns', 'duration_ns', 'source'])).filter(
        row => row.source && /span|instant/.test(row.kind),
      )
    await code.locator('.cm-line').first().waitFor()
    const counts = async () =>
      Object.fromEntries(
        await code.locator('.cm-cost .costs[title]').evaluateAll(all =>
          all.map(one => {
            const box = one.getBoundingClientRect(),
              line = [
                ...document.querySelectorAll('.widget-code .cm-lineNumbers .cm-gutterElement'),
              ].find(
                other =>
                  Math.abs(other.getBoundingClientRect().top - box.top) < 4 &&
                  other.getBoundingClientRect().height,
              )
            return [
              line?.textContent,
              Number(/^([\d,]+) event/.exec(one.title)[1].replaceAll(',', '')),
            ]
          }),
        ),
      )
    for (const [scope, range] of [
      ['whole', null],
      ['window', [10000000n, 12000000n]],
      ['window', [33000000n, 34000000n]],
    ]) {
      if (range) await ask(page, '@' + range.map(ns => String(ns)).join('..'))
      await scopeTo(code, scope)
      const { t0, t1 } = range ? await windowOf(page) : { t0: -(1n << 62n), t1: 1n << 62n },
        file = await code
          .getByLabel('File')
          .evaluate(select => select.selectedOptions[0].textContent.split(' ')[0])
      const wanted = {}
      for (const row of rows) {
        const [, path, line] = /^(.*):(\d+)$/.exec(row.source) ?? [],
          start = psOf(row.start_ns),
          end = start + (row.duration_ns ? psOf(row.duration_ns) : 0n)
        if (path === file && start <= t1 && end >= t0) wanted[line] = (wanted[line] ?? 0) + 1
      }
      await until(
        'its lines of ' + scope,
        async () =>
          JSON.stringify(await counts()) === JSON.stringify(wanted) || (await counts(), false),
      ).catch(async error => {
        assert.deepEqual(await counts(), wanted, scope + ' ' + range)
        throw error
      })
      const sum = Object.values(wanted).reduce((all, one) => all + one, 0)
      await code
        .locator('.bar', {
          hasText: sum.toLocaleString('en') + (sum === 1 ? ' event,' : ' events,'),
        })
        .waitFor()
      await shot(page, 'code-' + scope)
    }
  },
)

/** Lines of the gutter of Code: number of the line, and its columns. */
const gutterOf = code =>
  code.evaluate(element => {
    const numbers = [...element.querySelectorAll('.cm-lineNumbers .cm-gutterElement')].filter(
      one => one.getBoundingClientRect().height,
    )
    return [...element.querySelectorAll('.cm-cost .costs[title]')]
      .filter(one => one.getBoundingClientRect().height)
      .map(one => [
        numbers.find(
          other =>
            Math.abs(
              other.getBoundingClientRect().top - one.parentElement.getBoundingClientRect().top,
            ) < 2,
        )?.textContent,
        ...[...one.children].map(child => child.textContent),
      ])
  })

view.test(
  'Source has the lines that frames of PyTorch name, and says how to give a file that is not here',
  async () => {
    const frame = (name, ts, dur) => ({
      ph: 'X',
      cat: 'python_function',
      name,
      pid: 1,
      tid: 1,
      ts,
      dur,
    })
    const traceEvents = [
      frame('attention.py(12): forward', 0, 100),
      frame('/job/lost.py(3): <lambda>', 120, 20),
      frame('attention.py(31): backward', 150, 50),
    ]
    const url = await view.add(put('frames.pt.trace.json', { traceEvents }))
    // Each size and each set of colours once.
    for (const look of [LOOKS[0], LOOKS[3]]) {
      const page = await openProfile(url, look),
        code = page.locator('.widget-code'),
        here = page.locator('.cm-line.cm-here')
      await layout(page, 'Code')
      await page.locator('.cm-content[aria-label="Source of attention.py"]').waitFor()
      await until(
        'its lines',
        async () =>
          JSON.stringify(await gutterOf(code)) ===
          '[["12","1","100 us","66.7 %"],["31","1","50.0 us","33.3 %"]]',
      ).catch(async () => assert.deepEqual(await gutterOf(code), []))
      await find(page, 'backward', 'backward')
      await here.filter({ hasText: 'the slow one' }).waitFor()
      await choose(page, 'Colour by', 'source')
      const colour = async t => {
        const { x, y } = await pointOf(page, 'thread 1', t)
        return colourAt(page.locator('.timeline .bars'), { x, y: y + 5 })
      }
      await until(
        'a colour a line',
        async () => (await colour(90000000n)) !== (await colour(190000000n)),
      )
      assert.ok((await code.locator('.code-head .bar').boundingBox()).height < 40, 'one line')
      await shot(page, 'frames')
      await code.getByLabel('File', { exact: true }).selectOption('/job/lost.py (not stored)')
      await code.locator('.unknown', { hasText: 'source not given' }).waitFor()
      await code
        .getByText('where DIR is a folder that has the file by the end of its path, /job/lost.py')
        .waitFor()
      await shot(page, 'frames-lost')
    }
  },
)

view.test(
  'D35 a file that is dropped is the text of a source that was recorded elsewhere, for all who open the profile',
  async () => {
    const sources = ['/home/u/app/kern.py:2', '/a/both.py:1', '/b/both.py:1'],
      file = put('elsewhere.json', {
        traceEvents: sources.map((source, i) => ({
          ...{ ph: 'X', pid: 1, tid: 1, ts: 10 * i, dur: 5, name: 'work ' + i, args: { source } },
        })),
      }),
      url = await view.add(file),
      page = await openProfile(url),
      said = page.locator('[data-say]')
    const drop = async (name, text) =>
      page.locator('#app').evaluate(
        (element, { name, text }) => {
          const data = new DataTransfer()
          data.items.add(new File([text], name))
          element.dispatchEvent(
            new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
          )
        },
        { name, text },
      )
    await drop('both.py', 'neither')
    await said.filter({ hasText: '/a/both.py or /b/both.py' }).waitFor({ state: 'attached' })
    await drop('kern.py', 'import app\nthe kernel\nthe end\n')
    await said
      .filter({ hasText: 'kern.py is kept as the text of /home/u/app/kern.py' })
      .waitFor({ state: 'attached' })
    await page.locator('.cm-line', { hasText: 'the kernel' }).waitFor()
    const other = await openProfile(url)
    await find(other, 'name="work 0"', 'work 0')
    await other.keyboard.press('o')
    await other.locator('.cm-line.cm-here', { hasText: 'the kernel' }).waitFor()
    // It is named so beside another file that is chosen, too.
    const choice = other.locator('.widget-code').getByLabel('File', { exact: true })
    await choice.selectOption('/a/both.py (not stored)')
    await other.locator('.widget-code .unknown', { hasText: 'source not given' }).waitFor()
    assert.deepEqual((await choice.locator('option').allTextContents()).sort(), [
      '/a/both.py (not stored)',
      '/b/both.py (not stored)',
      '/home/u/app/kern.py (dropped here)',
    ])
    page.problems.length = other.problems.length = 0 // the browser tells of answers 404
  },
)

view.test(
  'Code has events, self time and share of each line in columns below their heads, and room for the text',
  async () => {
    const files = {
      'attention.py': [
        ['12', '1', '10.0 us', '50.0 %'],
        ['30', '1', '0 ps', '0.0 %'],
        ['31', '1', '10.0 us', '50.0 %'],
      ],
      'mlp.py': [
        ['2', '1', '4.00 us', '50.0 %'],
        ['8', '1', '4.00 us', '50.0 %'],
        ['15', '1', '0 ps', '0.0 %'],
      ],
    }
    const url = await view.add(made('stacks.xplane.pb', 'view/fixtures.py', 'stacks'))
    for (const [i, look] of [LOOKS[0], LOOKS[3]].entries()) {
      const page = await openProfile(url, look),
        code = page.locator('.widget-code')
      await layout(page, 'Code')
      for (const [file, lines] of Object.entries(files)) {
        await code.getByLabel('File', { exact: true }).selectOption({ label: file })
        await code.locator('.cm-content[aria-label="Source of ' + file + '"]').waitFor()
        await until(
          'its lines',
          async () => JSON.stringify(await gutterOf(code)) === JSON.stringify(lines),
        ).catch(async () => assert.deepEqual(await gutterOf(code), lines))
      }
      const right = selector =>
        code
          .locator(selector)
          .first()
          .evaluate(element =>
            [...element.children].map(one => Math.round(one.getBoundingClientRect().right)),
          )
      assert.deepEqual(await right('.cm-cost-head'), await right('.cm-cost .costs[title]'))
      assert.deepEqual(await code.locator('.cm-cost-head span').allTextContents(), [
        'events',
        'self',
        'share',
      ])
      const [gutters, all] = [
        await code.locator('.cm-gutters').boundingBox(),
        await code.locator('.cm-editor').boundingBox(),
      ]
      assert.ok(gutters.width <= all.width / 2, gutters.width + ' of ' + all.width)
      assert.ok(
        await code
          .locator('.cm-cost .costs[title] span')
          .evaluateAll(cells => cells.every(cell => cell.scrollWidth <= cell.clientWidth + 1)),
      )
      await shot(page, 'code-columns-' + i)
    }
  },
)

view.test(
  'the command of Code prints its lines: of the run, a window, an area and groups; of moments alone the share is unknown',
  async () => {
    put('code/late.py', 'one\n'.repeat(12))
    const moments = {
      traceEvents: [
        ['late.py:3', 4000],
        ['late.py:3', 5000],
        ['late.py:10', 6000],
      ].map(([source, ts]) => ({
        ph: 'i',
        s: 't',
        pid: 1,
        tid: 1,
        ts,
        name: 'moment',
        args: { source },
      })),
    }
    const urls = {
      torch: view.url,
      tpu: await view.add(made('stacks.xplane.pb', 'view/fixtures.py', 'stacks')),
      moments: await view.add(put('moments.json', moments)),
    }
    const [{ kernels }] = JSON.parse(
      await nprof(
        'sql',
        '-q',
        '--format',
        'json',
        '-e',
        "select track as kernels from events where source = 'attention.py:12' limit 1",
        trace,
      ),
    )
    let lines = 0
    for (const [of, part, file] of [
      ['torch', '', 'attention.py'],
      ['torch', 's=window&t=10200000..12000000', 'mlp.py'],
      ['torch', 's=selection&a=10000000..30000000@category:3@' + kernels, 'attention.py'],
      ['torch', 's=selection&p=20000000..29900000@ProfilerStep%232', 'attention.py'],
      ['tpu', '', 'attention.py'],
      ['tpu', 's=window&t=7..12000', 'attention.py'],
      ['moments', '', 'late.py'],
      ['moments', 's=window&t=4500000..6000000', 'late.py'],
    ]) {
      const page = await openProfile(urls[of] + (part ? '?' + part : ''), AGAIN),
        code = page.locator('.widget-code')
      await layout(page, 'Code')
      await code.getByLabel('File', { exact: true }).selectOption({
        index: await code
          .getByLabel('File', { exact: true })
          .locator('option')
          .evaluateAll((all, name) => all.findIndex(one => one.textContent.startsWith(name)), file),
      })
      await rest(page)
      const texts = rows =>
        rows.map(row => [row.line, row.events, row.self_ps, row.share ?? ''].join(' '))
      const [printed] = await printedBy(code)
      await same([of, part].join(' '), texts(printed), async () =>
        (await code.getByRole('button', { name: 'CSV', exact: true }).count())
          ? texts(await savedBy(code))
          : [],
      )
      assert.ok(printed.length, part)
      lines += printed.length
      if (of === 'moments')
        assert.ok(printed.length && printed.every(row => row.share === null && row.self_ps === 0))
    }
    assert.ok(lines > 8, lines + ' lines')
  },
)

view.test(
  'T46 where an event names several lines people choose one of them, by keyboard too; of a file that is not stored Code says what to do',
  async () => {
    const url = await view.add(made('stacks.xplane.pb', 'view/fixtures.py', 'stacks')),
      page = await openProfile(url),
      code = page.locator('.widget-code'),
      place = code.getByLabel('Place', { exact: true }),
      file = code.getByLabel('File', { exact: true }),
      here = page.locator('.cm-line.cm-here')
    const chosen = select =>
      select.evaluate(element => element.selectedOptions[0].textContent.trim())
    await layout(page, 'Code')
    await here.or(page.locator('.cm-line')).first().waitFor()
    assert.equal(await place.count(), 0)
    await find(page, 'name=fusion.2', 'fusion.2')
    await here.filter({ hasText: 'attention, line 12' }).waitFor()
    assert.deepEqual(await place.locator('option').allTextContents(), [
      'mlp.py:15:4',
      'lost.py:9:1',
      'attention.py:12:2',
    ])
    assert.equal(await chosen(place), 'attention.py:12:2')
    // Details has each line once, the event's own among those of the stack.
    await openTab(page, 'Details')
    assert.deepEqual(await page.locator('.widget-details .stack li').allTextContents(), [
      'mlp.py:15:4',
      'lost.py:9:1',
      'attention.py:12:2',
    ])
    await openTab(page, 'Source')
    await place.focus()
    await page.keyboard.press('ArrowUp')
    await code.locator('.unknown', { hasText: 'source not given' }).waitFor()
    await code.locator('.command', { hasText: '--source DIR' }).waitFor()
    assert.match(await chosen(file), /^lost\.py \(not stored\)$/)
    await shot(page, 'place-lost')
    await page.keyboard.press('ArrowUp')
    await here.filter({ hasText: 'mlp, line 15' }).waitFor()
    assert.deepEqual([await chosen(place), await chosen(file)], ['mlp.py:15:4', 'mlp.py'])
    await shot(page, 'place')
    await until('the address', () => / 0$/.test(settingOf(page, 'code.place') ?? ''))
    await page.reload()
    await here.filter({ hasText: 'mlp, line 15' }).waitFor()
    assert.equal(await chosen(place), 'mlp.py:15:4')
    // Another file has no line of the event, and the choice is of this event alone.
    await file.selectOption({ label: 'attention.py' })
    await page.locator('.cm-content[aria-label="Source of attention.py"]').waitFor()
    await ask(page, 'name=fusion.4')
    await here.filter({ hasText: 'mlp, line 8' }).waitFor()
    assert.equal(await place.count(), 0)
    // A stack that does not have the event's own line: that comes first. Details leads to each.
    await ask(page, 'name=fusion.5')
    await here.filter({ hasText: 'mlp, line 2' }).waitFor()
    assert.deepEqual(
      [await place.locator('option').allTextContents(), await chosen(place)],
      [['mlp.py:2', 'attention.py:30:1'], 'mlp.py:2'],
    )
    await openTab(page, 'Details')
    await page.locator('.widget-details').getByRole('link', { name: 'attention.py:30:1' }).click()
    await here.filter({ hasText: 'attention, line 30' }).waitFor()
    assert.equal(await chosen(place), 'attention.py:30:1')
    await openTab(page, 'Details')
    await page
      .locator('.widget-details')
      .getByRole('link', { name: 'mlp.py:2', exact: true })
      .click()
    await here.filter({ hasText: 'mlp, line 2' }).waitFor()
  },
)

view.test('Code shows no number of the whole run under the chip of a window', async () => {
  const page = await openProfile(view.url)
  await layout(page, 'Code')
  const code = page.locator('.widget-code'),
    cost = code.locator('.cm-cost .costs[title]').first()
  await cost.waitFor()
  const asked = await hold(page, /sources?\?.*t0=/)
  await ask(page, '@10000000..12000000')
  await scopeTo(code, 'window')
  await code.locator('.bar', { hasText: 'asking…' }).waitFor()
  assert.ok(!(await cost.isVisible()))
  await asked.go(undefined, 2)
  await cost.waitFor()
  await code.locator('.bar', { hasText: ' events, self ' }).waitFor()
})

view.test(
  'Steps names a device in its table as beside its bars, also where the host announces the steps',
  async () => {
    const page = await openProfile(view.url)
    await openTab(page, 'Steps')
    const row = page.getByRole('grid', { name: 'Steps', exact: true }).locator('tbody tr').first()
    await row.waitFor()
    const named = [
      ...new Set(
        await page
          .locator('.steps-chart .bar-group')
          .evaluateAll(all => all.map(one => / of (.*): /.exec(one.getAttribute('aria-label'))[1])),
      ),
    ]
    assert.equal(named.length, 1)
    assert.match(named[0], /GPU 0|process 0/)
    assert.equal((await row.locator('td[data-column=device]').textContent()).trim(), named[0])
    assert.match(
      await row.locator('td[data-column=device] span').getAttribute('title'),
      / announces it$/,
    )
  },
)

view.test(
  'an event is looked at within the area or step that was selected: scope Selection stays',
  async () => {
    const page = await openProfile(await view.add(SYNTHETIC)),
      note = () => page.locator('.widget-gaps .bar .muted').textContent()
    await openTab(page, 'Gaps')
    const chip = async () =>
        (await page.locator('.scope-chip > button').first().textContent()).trim(),
      gaps = page.locator('.widget-gaps').last(),
      cells = async () => (await rest(page), gaps.locator('tbody').allTextContents())
    await page.locator('.timeline .over').focus()
    await page.keyboard.press('n')
    await page.keyboard.press('n')
    await page.keyboard.press('n')
    await scopeTo(page, 'selection')
    await until('the step', async () => /^Step \S/.test(await chip()))
    const name = await chip(),
      ofStep = await cells()
    assert.match(String(ofStep), /gaps in queued work/)
    await find(page, 'name=fusion.14', 'fusion.14')
    assert.deepEqual(await cells(), ofStep)
    assert.equal(await chip(), name)
    // The address has both.
    await until('the address', () =>
      page.evaluate(() => /[?&]e=/.test(location.search) && /[?&]p=/.test(location.search)),
    )
    await page.reload()
    await page.locator('.event-name', { hasText: 'fusion.14' }).waitFor({ state: 'attached' })
    assert.deepEqual(await cells(), ofStep)
    // Without an area or step it is the whole run, and the bar says so; R makes the event's time the area.
    await page.locator('.timeline .over').focus()
    // The first Esc leaves the search.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await until('the sentence', async () => /nothing is selected: whole run/.test(await note()))
    const whole = await cells()
    assert.notDeepEqual(whole, ofStep)
    await ask(page, '')
    await find(page, 'name=fusion.12', 'fusion.12')
    await until('the sentence', async () =>
      /an event is no range of times \(R makes it one\): whole run/.test(await note()),
    )
    assert.deepEqual(await cells(), whole)
    await page.locator('.timeline .over').focus()
    await page.keyboard.press('r')
    await until('its time', async () => /of all tracks/.test(await note()))
  },
)

view.test(
  'each widget has the scope of the page, or says in one sentence why it has one alone',
  async () => {
    const page = await openProfile(await view.add(SYNTHETIC)),
      widgets = await page.evaluate(async () =>
        [...(await import('/widgets/registry.js')).WIDGETS.values()].map(one => [
          one.id,
          one.title,
        ]),
      )
    const obey = []
    for (const [id, title] of widgets) {
      await page.locator('.timeline .over').focus()
      await addWidget(page, new RegExp('^' + title + '\\b'))
      const widget = page.locator('.widget-' + id).last(),
        fixed = await widget.locator('.chip.scope').allTextContents()
      if (fixed.length) assert.match(fixed[0], /^(whole|window|markers): [a-z][^.]+$/, id)
      else obey.push(id)
      if (id !== 'timeline')
        assert.equal(await widget.getByLabel('Scope').count(), 0, id + ' has a scope of its own')
    }
    // The picture is the window; Details is of what is selected; all others obey the one chip.
    for (const id of Object.keys(WINDOWED)) assert.ok(obey.includes(id), id)
    assert.equal(await page.locator('.scope-chip').count(), 1)
  },
)

view.test(
  'the head of the page has the scope of all widgets: it changes theirs and theirs changes it, by the link, too; a long name leaves it its room',
  async () => {
    const file = put(
      'a-name-that-goes-on-for-longer-than-the-head-of-any-page-has-room-for-it.xplane.pb',
      fs.readFileSync(SYNTHETIC),
    )
    const page = await openProfile(await view.add(file), { viewport: { width: 1024, height: 700 } })
    await ask(page, '@3000000..9000000')
    await scopeTo(page, 'window')
    assert.equal(
      (await page.locator('.scope-chip button').first().getAttribute('title')).split('\n')[0],
      'Scope of all widgets: 6.00 ms of all tracks',
    )
    await openTab(page, 'Selection')
    assert.equal(await scopeOf(page), 'window')
    // Events that touch the window, as csv has them.
    const touch = (await spansOf(SYNTHETIC)).filter(
      span => span.start <= 9000000000n && span.end >= 3000000000n,
    ).length
    await until(
      'sums of the window',
      async () =>
        Number(await page.locator('.widget-selection .totals dd').first().textContent()) === touch,
    )
    await scopeTo(page, 'selection')
    assert.equal(await scopeOf(page), 'selection')
    await page.locator('.timeline .over').focus()
    await page.keyboard.press('n')
    await until('the step by its name', async () =>
      (await page.locator('.scope-chip [role^=menuitem]').allTextContents()).includes('Step 0'),
    )
    await until('the address', () => /[?&]s=selection/.test(page.url()))
    const other = await openProfile(page.url(), {})
    assert.equal(await scopeOf(other), 'selection')
    // It follows again: the step first, then the window.
    await page.keyboard.press('v')
    assert.equal(await scopeOf(page), 'selection')
    await until('the address', () => !/[?&]s=/.test(page.url()))
    await page.keyboard.press('Escape')
    assert.equal(await scopeOf(page), 'window')
    await ask(page, 'name=fusion.15')
    await page.locator('.hits').waitFor()
    assert.ok(
      await page.locator('.top').evaluate(head => head.scrollWidth <= head.clientWidth),
      'the head is wider than the page',
    )
    assert.ok(
      await page.locator('.search').evaluate(field => field.clientWidth >= 200),
      'what was searched for has no room',
    )
  },
)

view.test('numbers of the whole run never stand under the chip of a window', async () => {
  const page = await openProfile(await view.add(SYNTHETIC))
  await addWidget(page, /^Layers\b/)
  await rest(page)
  const widget = page.locator('.widget-layers'),
    layers = await hold(page, /table\/layers\?.*t0=/)
  await ask(page, '@3000000..9000000')
  await scopeTo(widget, 'window')
  await widget.locator('p[aria-busy]').waitFor()
  assert.equal(await widget.locator('tbody tr').count(), 0)
  await layers.go()
  await widget.locator('tbody tr').first().waitFor()
  // In the next window those of the last one are faint until its own come.
  layers.again()
  await ask(page, '@4000000..9000000')
  await widget.locator('.grid-box.past').waitFor()
  await layers.go(route =>
    route.fulfill({
      status: 422,
      json: { error: { text: 'the store is damaged', at: null, mend: '' } },
    }),
  )
  await widget.locator('.failed', { hasText: 'the store is damaged' }).waitFor()
  assert.equal(await widget.locator('tbody tr').count(), 0)
  await layers.go(undefined, 0)
  // Sums of Selection neither.
  await addWidget(page, /^Selection\b/)
  const sums = page.locator('.widget-selection')
  await scopeTo(sums, 'whole')
  await sums.locator('tbody tr').first().waitFor()
  const selection = await hold(page, /\/s\?.*t0=/)
  await scopeTo(sums, 'window')
  await sums.locator('p[aria-busy]').waitFor()
  assert.equal(await sums.locator('tbody tr, dl').count(), 0)
  await selection.go()
  await sums.locator('tbody tr').first().waitFor()
  // Figures of devices are not unknown while they are asked for.
  const figures = await hold(page, /\/window\?.*t0=/)
  for (const what of ['go on', 'fail']) {
    await ask(page, what === 'fail' ? '@6000000..9000000' : '@5000000..9000000')
    await sums.locator('.totals dd[aria-busy]', { hasText: /^asking…$/ }).waitFor()
    assert.equal(await sums.locator('.totals dt', { hasText: 'unknown' }).count(), 0)
    if (what === 'go on') {
      await figures.go()
      await sums.locator('.totals dt', { hasText: /^busy$/ }).waitFor()
    } else {
      await figures.go(route => route.fulfill({ status: 500, json: { error: 'out of order' } }))
      await sums.locator('.totals dt', { hasText: /^unknown:$/ }).waitFor()
      page.problems.length = 0
    }
    assert.equal(await sums.locator('.totals dd[aria-busy]').count(), 0)
    figures.again()
  }
  await figures.go(undefined, 0)
  // What the file states of the whole run has no numbers of a window, and says so.
  await addWidget(page, /^Tables\b/)
  await page
    .getByRole('grid', { name: 'Tables' })
    .locator('tr', { hasText: 'facts' })
    .first()
    .click()
  const facts = page.locator('.widget-table', { has: page.getByLabel('Filter rows') }).last()
  await facts
    .locator('.unknown', { hasText: 'the file states this table of the whole run' })
    .waitFor()
  assert.equal(await facts.locator('tbody tr').count(), 0)
  await scopeTo(facts, 'whole')
  await facts.locator('tbody tr').first().waitFor()
})

view.test('T66 a file dropped on a profile opens, or is compared with it', async () => {
  const page = await openProfile(view.url)
  await page.evaluate(
    text => {
      const data = new DataTransfer()
      data.items.add(new File([text], 'after.pt.trace.json'))
      document
        .querySelector('#app')
        .dispatchEvent(
          new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
        )
    },
    JSON.stringify(torchTrace(3)),
  )
  const dialog = page.getByRole('dialog', { name: 'Add after.pt.trace.json' })
  await dialog.getByRole('link', { name: 'Open' }).waitFor()
  await dialog.getByRole('link', { name: 'Compare with this' }).click()
  await page.waitForURL(/\/compare\?a=n_[0-9a-f]{40}&b=n_[0-9a-f]{40}/)
  await page.locator('.diff .grid tbody tr').first().waitFor()
  assert.equal(await page.locator('.compare-lane').count(), 2)
})

view.test(
  'kernels of long names can be told apart, also in a low window, where there is room for six of them',
  async () => {
    const long = torchTrace(4, 24),
      names = new Map()
    for (const event of long.traceEvents)
      if (event.cat === 'kernel')
        event.name =
          'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x' +
          64 * (1 + (names.set((event.ts % 97) % 8, 0).size % 8)) +
          'x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas'
    const page = await openProfile(await view.add(put('long.pt.trace.json', long)), {
        viewport: { width: 1024, height: 700 },
      }),
      rows = page.locator('.widget-operators tbody tr')
    await rows.nth(5).waitFor()
    const fifth = await rows.nth(4).boundingBox()
    assert.ok(fifth.y + fifth.height <= 700, fifth.y + ' is out of sight')
    // What is seen of each name: its parts in their boxes, where an ellipsis ends those that have no room.
    const seen = await page.locator('.widget-operators .ends').evaluateAll(all =>
      all.map(one => [
        [...one.children]
          .filter(
            part =>
              part.scrollWidth <= part.clientWidth + 1 ||
              getComputedStyle(part).overflowX === 'visible',
          )
          .map(part => part.textContent)
          .join('…'),
        one.title,
        one.textContent,
      ]),
    )
    assert.equal(
      new Set(seen.map(([parts]) => parts)).size,
      new Set(seen.map(([, title]) => title)).size,
      String(seen.map(([parts]) => parts)),
    )
    assert.ok(seen.every(([parts, title, text]) => title === text && parts !== title))
  },
)

view.test(
  'T24 by duration the slowest stands out; by step each step of the host has a colour',
  async () => {
    const page = await openProfile(view.url)
    const colours = row =>
      page.locator('.timeline .bars').evaluate((canvas, y) => {
        const { data } = canvas
            .getContext('2d')
            .getImageData(0, Math.round(y - canvas.getBoundingClientRect().top), canvas.width, 1),
          seen = new Set()
        for (let i = 0; i < data.length; i += 4)
          if (
            data[i + 3] > 200 &&
            Math.max(data[i], data[i + 1], data[i + 2]) -
              Math.min(data[i], data[i + 1], data[i + 2]) >
              60
          )
            seen.add([data[i], data[i + 1], data[i + 2]].map(value => value >> 4).join())
        return seen.size
      }, row)
    const at = async name => (await rowOf(page, name).boundingBox()).y + 10
    const by = async mode => {
      await choose(page, 'Colour by', mode)
      await rest(page)
    }
    await by('duration')
    await until('a red bar', async () => (await colours(await at('stream 7'))) >= 1)
    await by('step')
    await until('colours of steps', async () => (await colours(await at('thread 1'))) >= 4)
  },
)

view.test('colours ask once for what they need, and say once that it did not come', async () => {
  for (const [mode, asked] of [
    ['step', /\/steps\?/],
    ['duration', /\/s\?.*by=name.*percentiles/],
  ]) {
    const page = await openProfile(view.url)
    let times = 0
    await page.route(asked, route => {
      times++
      return route.fulfill({
        status: 500,
        json: { error: { text: 'the disk is gone', mend: 'mount it' } },
      })
    })
    await choose(page, 'Colour by', mode)
    await page.locator('#said', { hasText: 'The disk is gone. Mount it.' }).waitFor()
    await page.locator('.timeline .over').focus()
    for (const key of ['w', 'd', 'w', 's']) {
      await page.keyboard.press(key)
      await rest(page)
    }
    assert.equal(times, 1, mode)
  }
})

view.test('each widget gives its rows as CSV, and a command that runs', async () => {
  const page = await openProfile(view.url),
    without = [],
    failed = [],
    ran = new Set()
  const widgets = await page.evaluate(async () =>
    [...(await import('/widgets/registry.js')).WIDGETS.values()].map(one => [one.id, one.title]),
  )
  await find(page, 'name=flash_bwd', 'flash_bwd')
  for (const [id, title] of widgets.filter(([id]) => id !== 'timeline' && id !== 'table')) {
    await page.locator('.timeline .over').focus()
    await addWidget(page, new RegExp('^' + title + '\\b'))
    const widget = page.locator('.widget-' + id)
    await widget.first().waitFor()
    if (!(await widget.getByRole('button', { name: 'CSV', exact: true }).count())) without.push(id)
    const said = await widget
      .locator('[title^="Copy as command"]')
      .evaluateAll(all => all[0]?.title)
    const command = said?.replace(/^Copy as command: /, '')
    if (!command || ran.has(command)) continue
    ran.add(command)
    await promisify(execFile)('sh', [
      '-ec',
      'nprof () { ' +
        process.env.NPROF +
        ' "$@"; }\n{ ' +
        command +
        '\n} >' +
        path.join(folder, 'said'),
    ]).catch(error => failed.push(command + ': ' + error.stderr))
  }
  // What has no rows here: no markers, no demands, one rank; a report is text, and Problems are sentences with tables.
  assert.deepEqual(
    without.filter(
      id =>
        !/^(annotations|gates|ranks|layers|roofline|printed|problems|sql|memory|transfers)$/.test(
          id,
        ),
    ),
    [],
  )
  assert.deepEqual(failed, [])
  assert.ok(ran.size > 8)
})
