// SPDX-License-Identifier: Apache-2.0
// The workspace: widgets, layouts, themes, and names that nobody should trust (tests 2, 48, 49, 56, 59, 62, 65).
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {
  AGAIN,
  LAYOUTS,
  LOOKS,
  SYNTHETIC,
  aboutOf,
  ask,
  causeName,
  cellsAre,
  closeTab,
  drag,
  drawn,
  fieldsOf,
  figureOf,
  folder,
  layout,
  made,
  nprof,
  open,
  openProfile,
  openTab,
  psOf,
  put,
  rest,
  sample,
  axeOf,
  scrollTo,
  serve,
  shot,
  sortsByEach,
  suite,
  tabTo,
  table,
  until,
  windowOf,
} from './harness.mjs'
import { looksOf } from './looks.mjs'
import { smallOf } from './targets.mjs'
import { torchTrace } from './torch.mjs'

const HOSTILE = [
  '<img src=x onerror=document.title="bad">',
  'مرحبا بالعالم',
  'x'.repeat(1 << 20),
  '${7*7}',
  '"><script>document.title="bad"</script>',
]
/** Looks at all of everything, as the campaign does. */
const ALL = process.env.NPROF_TEST_ALL === '1'
const view = suite([SYNTHETIC])
const tabs = page => page.locator('.lm-TabBar-tabLabel').allTextContents()

view.test(
  'D3 each widget is offered once, no table of sentences with gaps to fill; Memory says what table abilities says',
  async () => {
    const page = await openProfile(view.url),
      dialog = page.getByRole('dialog', { name: 'Add a widget' })
    await page.keyboard.press('+')
    await dialog.waitFor()
    const names = await dialog.locator('.pick').allTextContents()
    assert.equal(names.filter(name => /^Summary/.test(name)).length, 1, names.join())
    assert.ok(!names.some(name => name.includes('{')))
    await page.keyboard.press('Escape')
    const { why } = JSON.parse(await nprof('doctor', '--json', SYNTHETIC)).abilities.find(
      one => one.question === 'memory',
    )
    await openTab(page, 'Memory')
    await until('why', async () =>
      (await page.locator('.widget-memory').textContent()).includes(why),
    )
  },
)

view.test(
  'T48 widgets are added, closed, moved and made larger by mouse, and by commands only',
  async () => {
    const page = await openProfile(view.url),
      boxOf = id => page.locator('.widget-' + id).boundingBox()
    await page.keyboard.press('+')
    await page
      .getByRole('dialog', { name: 'Add a widget' })
      .getByRole('button', { name: /^Events/ })
      .click()
    await until('the tab', async () => (await tabs(page)).includes('Events'))
    await closeTab(page, 'Events')
    await until('no tab', async () => !(await tabs(page)).includes('Events'))
    await openTab(page, 'Annotations')
    const target = await boxOf('timeline'),
      details = await boxOf('details')
    const label = await page.locator('.lm-TabBar-tab', { hasText: 'Annotations' }).boundingBox()
    await drag(
      page,
      { x: label.x + 20, y: label.y + 10 },
      { x: target.x + target.width / 2, y: target.y + target.height - 20 },
    )
    await until('Annotations below the timeline', async () => {
      const now = await boxOf('annotations'),
        above = await boxOf('timeline')
      return now && now.x < details.x - 50 && now.y >= above.y + above.height
    })
    // The edge between the timeline and what is at its right goes to the left.
    const { x, y, width } = await boxOf('timeline'),
      edge = { x: x + width + 1, y: y + 40 }
    await drag(page, edge, { x: edge.x - 150, y: edge.y })
    await until(
      'a narrower timeline',
      async () => Math.abs((await boxOf('timeline')).width - (width - 150)) < 5,
    )
    const command = async text => {
      await page.keyboard.press('>')
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
    }
    // Keys alone do all of it: a widget is added and reached with Tab, then commands are for it.
    await page.keyboard.press('+')
    await tabTo(page, /^Latency/)
    await page.keyboard.press('Enter')
    await page.locator('.widget-latency').waitFor()
    await tabTo(page, 'CSV', '.widget-latency')
    await command('Move the widget in front to the left')
    await until(
      'Latency at the left',
      async () => (await boxOf('latency')).x < 10 && (await boxOf('timeline')).x > 100,
    )
    const old = await boxOf('latency')
    await command('Make the widget in front wider')
    await until('a wider one', async () => (await boxOf('latency')).width > old.width * 1.1)
    await command('Make the widget in front narrower')
    await until(
      'a narrower one',
      async () => Math.abs((await boxOf('latency')).width - old.width) < old.width * 0.08,
    )
    await command('Close the widget in front')
    await until('no Latency', async () => !(await tabs(page)).includes('Latency'))
  },
)

view.test(
  'each widget keeps its share of a window that becomes smaller, and larger again',
  async () => {
    const page = await openProfile(view.url),
      shares = () =>
        page.evaluate(() => {
          const dock = document.querySelector('.dock').getBoundingClientRect()
          return Object.fromEntries(
            [...document.querySelectorAll('.lm-DockPanel-widget:not(.lm-mod-hidden)')].map(one => {
              const { width, height } = one.getBoundingClientRect()
              return [
                one.className.match(/widget-(\w+)/)[1],
                [
                  width / dock.width,
                  (height + (/timeline|details/.test(one.className) ? 0 : 33)) / dock.height,
                ],
              ]
            }),
          ) // with its tabs
        })
    const old = await shares()
    assert.ok(
      Math.abs(old.timeline[1] - 0.62) < 0.01 && Math.abs(old.details[0] - 0.235) < 0.01,
      JSON.stringify(old),
    )
    for (const viewport of [
      { width: 1100, height: 640 },
      { width: 1700, height: 1100 },
    ]) {
      await page.setViewportSize(viewport)
      await until('the same shares', async () => {
        const now = await shares()
        return Object.entries(old).every(
          ([id, [w, h]]) => Math.abs(now[id][0] - w) < 0.01 && Math.abs(now[id][1] - h) < 0.01,
        )
      }).catch(async error => {
        throw new Error(error.message + JSON.stringify([old, await shares()]))
      })
    }
  },
)

view.test(
  'a widget that has but a sentence to say leaves its room to others, until somebody sizes it',
  async () => {
    const high = page =>
      page.locator('.widget-memory').evaluate(one => one.getBoundingClientRect().height)
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 1024, height: 700 },
    ]) {
      const alone = {
        type: 'split-area',
        orientation: 'vertical',
        children: ['timeline', 'memory'].map(id => ({
          type: 'tab-area',
          widgets: [id],
          currentIndex: 0,
        })),
        sizes: [0.4, 0.6],
      }
      const link = view.url + '?w=' + encodeURIComponent(JSON.stringify(alone)),
        page = await openProfile(link, { viewport }),
        kept = () => JSON.parse(new URL(page.url()).searchParams.get('w')).sizes
      await until('a small one', async () => (await high(page)) < 130)
      assert.ok(
        (await page
          .locator('.widget-timeline')
          .evaluate(one => one.getBoundingClientRect().height)) >
          (await page.locator('.dock').boundingBox()).height * 0.6,
      )
      assert.deepEqual(await looksOf(page), [])
      assert.deepEqual(kept(), alone.sizes, 'the layout is as it was')
      const handle = await page
          .locator('.lm-DockPanel-handle[data-orientation=vertical]:not(.lm-mod-hidden)')
          .first()
          .boundingBox(),
        old = await high(page)
      await page.mouse.move(handle.x + 200, handle.y + handle.height / 2)
      await page.mouse.down()
      await page.mouse.move(handle.x + 200, handle.y + handle.height / 2 - 100, { steps: 4 })
      await page.mouse.up()
      await until('the new size', async () => Math.abs((await high(page)) - old - 100) < 3)
      await page.keyboard.press('w') // the page is drawn again, and the size stays
      await rest(page)
      assert.ok(Math.abs((await high(page)) - old - 100) < 3)
      // Tabs stay where they are, whichever is in front.
      await layout(page, 'Standard')
      const bar = page.locator('.lm-TabBar', { hasText: 'Operators' }),
        before = await bar.boundingBox()
      for (const tab of await bar.locator('.lm-TabBar-tab').all()) {
        await tab.click({ position: { x: 4, y: 8 } })
        await rest(page)
        await drawn(page)
        assert.deepEqual(await bar.boundingBox(), before, await tab.textContent())
      }
    }
  },
)

view.test(
  'A click anywhere on a tab shows it and closes none: the tab beside has no cross to take it',
  async () => {
    const page = await openProfile(view.url, {
        viewport: { width: 1024, height: 700 },
        brief: true,
      }),
      bar = page.locator('.lm-TabBar', { hasText: 'Operators' }),
      isInFront = async tab => /lm-mod-current/.test(await tab.getAttribute('class'))
    const clickAll = async (places, every = 1) => {
      const all = await tabs(page),
        clicked = await bar.locator('.lm-TabBar-tab').all()
      // The last is among them: what is added comes behind the one in front.
      for (const tab of clicked.filter((_, i) => (clicked.length - 1 - i) % every === 0)) {
        for (const [at, times] of places) {
          const name = await tab.textContent()
          const other = bar.locator('.lm-TabBar-tab').nth(name === 'Operators' ? 1 : 0)
          await other.click({ position: { x: 3, y: 8 } })
          await until('the other in front', () => isInFront(other))
          await drawn(page) // the bar has moved to it
          await scrollTo(tab)
          const box = await tab.boundingBox(),
            y = box.y + box.height / 2
          await page.mouse.click(box.x + at(box.width), y, { clickCount: times, delay: 10 })
          await until(name + ' in front', () => isInFront(tab))
          // However late the next click comes: no cross has come below it.
          await page.mouse.click(box.x + box.width - 12, y)
          assert.ok(await tab.locator('.lm-TabBar-tabCloseIcon').isHidden())
          assert.deepEqual(await tabs(page), all)
        }
      }
    }
    await clickAll(
      [
        [width => width / 2, 1],
        [() => 2, 1],
        [width => width - 3, 1],
        [width => width - 12, 1],
        [width => width - 12, 2],
      ],
      4,
    )
    // More of them than have room: the newest is in sight, and each can be reached.
    for (const name of [
      'Events',
      'Search',
      'Layers',
      'Transfers',
      'Gates',
      'Summary',
      'Annotations',
      'Findings',
      'Problems',
    ]) {
      await bar.locator('.lm-TabBar-addButton').click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: new RegExp('^' + name) })
        .first()
        .click()
      const tab = bar.locator('.lm-TabBar-tab.lm-mod-current', { hasText: name })
      await tab.waitFor()
      // It is brought there with the next picture.
      await until(name + ' in sight', async () => {
        const box = await tab.boundingBox(),
          whole = await bar.boundingBox()
        return box.x >= whole.x - 1 && box.x + box.width <= whole.x + whole.width + 1
      })
    }
    await clickAll([[width => width - 12, 2]], 4)
    await shot(page, 'tabs')
    const last = bar.locator('.lm-TabBar-tab').last()
    await last.click()
    await closeTab(page, 'Problems')
    await until('no Problems', async () => !(await tabs(page)).includes('Problems'))
  },
)

view.test('T49 a layout is kept for all profiles, and deleted', async () => {
  const page = await openProfile(view.url)
  await page.keyboard.press('+')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Summary/ })
    .first()
    .click()
  await page.locator('.widget-summary').waitFor()
  await page.keyboard.press('l')
  const dialog = page.getByRole('dialog', { name: 'Layouts' })
  await dialog.getByLabel('Name of the layout').fill('mine')
  await dialog.getByRole('button', { name: 'Save as' }).click()
  await dialog.getByLabel('Rename mine').waitFor()
  await page.keyboard.press('Escape')
  const placed = one =>
    one.locator('.widget:not(.lm-mod-hidden)').evaluateAll(all =>
      all
        .map(widget => {
          const { x, y, width, height } = widget.getBoundingClientRect()
          return [
            widget.className.match(/widget-(\w+)/)[1],
            ...[x, width, height].map(Math.round),
            Math.round(y - document.querySelector('.dock').getBoundingClientRect().y),
          ]
        })
        .sort(),
    )
  const kept = [await tabs(page), await placed(page)]
  const other = await openProfile(await view.add(sample('node-workload.trace.json')), {})
  assert.ok(!(await tabs(other)).includes('Summary'))
  const listed = other.locator('#menu-layout [role^=menuitem]', { hasText: /^mine$/ })
  await listed.waitFor({ state: 'attached' })
  await other.keyboard.press('l')
  await other.getByRole('dialog', { name: 'Layouts' }).getByRole('button', { name: 'Load' }).click()
  const height = async () =>
    (await other.locator('.dock').boundingBox()).height -
    (await page.locator('.dock').boundingBox()).height
  await until('the kept layout', async () => String(await tabs(other)) === String(kept[0]))
  // The widgets are as large as before, but for the verdict above them, which is another, of another height.
  const more = await height(),
    now = await placed(other)
  now.forEach(([id, x, w, h, y], i) => {
    const [wanted, x0, w0, h0, y0] = kept[1][i]
    assert.deepEqual([id, x, w], [wanted, x0, w0])
    assert.ok(
      Math.abs(h - h0) <= Math.abs(more) + 2 && Math.abs(y - y0) <= Math.abs(more) + 2,
      id + ' ' + [h, h0, y, y0],
    )
  })
  assert.equal(await listed.getAttribute('aria-checked'), 'true')
  await other.keyboard.press('l')
  await other.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await other.getByLabel('Rename mine').waitFor({ state: 'detached' })
  assert.equal(await listed.count(), 1) // it is the one that is shown
  assert.deepEqual((await (await fetch(view.server.base + '/api/v1/layouts')).json()).items, [])
})

/** A file that a generator of the tests writes into a folder of its own. */
function madeIn(name, file, script, ...args) {
  fs.mkdirSync(path.join(folder, name), { recursive: true })
  made(name, script, ...args)
  return path.join(folder, name, file)
}

/** What `furiosa-make.py` writes. */
function furiosa() {
  fs.mkdirSync(path.join(folder, 'summary-furiosa'))
  execFileSync('python3', [
    '-B',
    path.join(process.env.NPROF_SOURCE, 'tests/tools/furiosa-make.py'),
    'make',
    path.join(folder, 'summary-furiosa'),
    '7',
    '5',
  ])
  return path.join(folder, 'summary-furiosa', 'synthetic_spans.csv')
}

const SUMMARIES = {
  'of a TPU': () => [SYNTHETIC],
  'of a processor alone': () => [sample('node-workload.trace.json')],
  'of a GPU': () => [put('summary.pt.trace.json', torchTrace(3))],
  'of a NEFF with its NTFF': () => [
    path.join(made('summary-neffs', 'tools/neff-make.py'), 'synthetic_debug.neff'),
    madeIn('summary-ntff', 'synthetic_1.ntff', 'tools/ntff_make.py'),
  ],
  'of what the Neuron tools write': () => [
    madeIn('summary-tools', 'synthetic_device.json', 'tools/neuron-tools-make.py'),
  ],
  'of Neuron operators': () => [made('summary-neuron.xplane.pb', 'view/fixtures.py', 'neuron')],
  'of Furiosa': () => [furiosa()],
}
for (const [name, filesOf] of Object.entries(SUMMARIES)) {
  view.test('T11 each cell of Summary is that of the report: ' + name, async () => {
    const files = filesOf(),
      page = await openProfile(await view.add(...files), AGAIN),
      { tables } = JSON.parse(
        await nprof('report', '--format', 'json', '--top', '0', '-q', ...files),
      )
    await openTab(page, 'Summary')
    await page.locator('.widget-summary h2').first().waitFor()
    await rest(page)
    const titles = await page.locator('.widget-summary h2 a').allTextContents()
    assert.ok(titles.includes('Inputs'))
    let numbers = 0
    for (const title of titles.filter(one => one !== 'Inputs')) {
      const own = tables.find(one => one.title === title)
      numbers += await cellsAre(
        page.locator('.widget-summary').getByRole('grid', { name: title, exact: true }),
        own.rows.map(row => Object.fromEntries(own.columns.map((column, i) => [column, row[i]]))),
      )
    }
    assert.equal(numbers > 0, titles.length > 1)
  })
}

view.test('T11 D29 the numbers of devices are those of the report', async () => {
  const page = await openProfile(view.url)
  const rows = await table('devices', SYNTHETIC)
  await openTab(page, 'Summary')
  const grid = page.getByRole('grid', { name: 'Devices', exact: true })
  await grid.waitFor()
  for (const [i, row] of rows.entries()) {
    const shown = await grid
      .locator('tbody tr')
      .nth(i)
      .locator('td')
      .evaluateAll(cells =>
        Object.fromEntries(
          cells.map(cell => [
            cell.dataset.column.replace(/_(ns|ps)$/, ''),
            cell.querySelector('span')?.title || cell.textContent.trim(),
          ]),
        ),
      )
    for (const key of ['busy', 'idle', 'compute', 'communication', 'copy', 'exposed']) {
      const ps = String(row[key + '_ps'])
      assert.equal(
        shown[key]
          .replace(/[, ns]/g, '')
          .replace('.', '')
          .padEnd(ps.length, '0'),
        ps,
        key,
      )
    }
    assert.equal(Number(shown.mfu), row.mfu)
  }
})

view.test(
  'figures have the step of the slowest device, also its p99, and the longest time that a device was idle, which a click shows',
  async () => {
    const page = await openProfile(view.url),
      figure = name => figureOf(page, name)
    const slowest = (await table('step_times', '--full', SYNTHETIC)).reduce((most, one) =>
        one.median_ps > most.median_ps ? one : most,
      ),
      ms = ps => (ps / 1e9).toPrecision(3) + ' ms'
    assert.equal(
      (await figure('step median').textContent()).replace(/\s+/g, ' ').trim(),
      ms(slowest.median_ps) + ' p99 ' + ms(slowest.p99_ps) + ', slowest device',
    )
    const gaps = await table('gaps', SYNTHETIC),
      longest = gaps
        .filter(gap => gap.start_ps !== null)
        .reduce((most, gap) => (gap.duration_ps > most.duration_ps ? gap : most)),
      start = BigInt(longest.start_ps),
      end = start + BigInt(longest.duration_ps)
    const idle = figure('longest idle')
    assert.equal(
      (await idle.textContent()).replace(/\s+/g, ' ').trim(),
      longest.duration_ps / 1e6 +
        ' us at ' +
        ms(longest.start_ps) +
        ', ' +
        causeName(longest.cause),
    )
    assert.ok((await idle.locator('button').getAttribute('title')).includes(longest.device))
    await idle.locator('button').click()
    await until('its times', async () => {
      const { t0, t1 } = await windowOf(page)
      return t0 < start && t1 > end && t1 - t0 < 3n * (end - start)
    })
    await page
      .locator('.widget-details h2', { hasText: 'Idle: ' + causeName(longest.cause) })
      .waitFor()
    // A file without devices and steps has neither.
    const plain = await openProfile(await view.add(sample('node-workload.trace.json')))
    assert.equal(await plain.locator('.figure-list', { hasText: /idle|p99/ }).count(), 0)
  },
)

view.test('a layout that a key, a command or the dialog shows is undone by Back', async () => {
  const page = await openProfile(view.url),
    shown = () => new URL(page.url()).searchParams.get('l') ?? 'Standard'
  const ways = {
    Steps: async () => {
      await page.keyboard.press('>')
      await page.keyboard.type('layout steps')
      await page.keyboard.press('Enter')
    },
    'Code beside the timeline': async () => {
      await page.keyboard.press('l')
      await page.getByRole('dialog').getByRole('button', { name: /^Code/ }).click()
    },
    Memory: () => ask(page, '>layout memory'),
  }
  let before = 'Standard'
  const seen = [before]
  for (const [name, act] of Object.entries(ways)) {
    await act()
    await until(name, async () => (await shown()) === name)
    await rest(page)
    seen.push((before = name))
  }
  for (const name of seen.slice(0, -1).reverse()) {
    await page.goBack()
    await until('back to ' + name, async () => (await shown()) === name)
  }
})

view.test('About says which tracks have no rows, and the version of the server', async () => {
  const page = await openProfile(view.url),
    { version } = await (await fetch(view.server.base + '/api/v1/server')).json()
  const said = await until('the version', async () => {
    const now = await aboutOf(page)
    return now.server && now
  })
  assert.equal(said.server, version)
  // The sample names a process of its own for which it has no line.
  assert.equal(said.rows, '761 rows')
  assert.equal(said['not shown'], '1 track without rows: Task Environment')
})

view.test(
  "T56 the table of an example's analyzer is listed, sorted by each column, and filtered, by the page as it is",
  async () => {
    const plugins = path.join(folder, 'plugins')
    fs.mkdirSync(plugins)
    fs.copyFileSync(
      path.join(process.env.NPROF, '..', '..', '..', 'sdk', 'examples', 'gaps.so'),
      path.join(plugins, 'gaps.so'),
    )
    const env = { ...process.env, NPROF_PLUGIN_PATH: plugins },
      file = put('lengths.json', {
        traceEvents: Array.from({ length: 60 }, (_, i) => ({
          ph: 'X',
          pid: 1,
          tid: 1 + (i >= 30),
          ts: 1000 * i,
          dur: 1 + ((i * 37) % 101),
          name: 'add',
        })),
      })
    const other = await serve(
      ['-a', 'acme.gaps:least=1us', file],
      path.join(folder, 'example-store'),
      { env },
    )
    try {
      const page = await openProfile(other.profile[0], {})
      await page.keyboard.press('+')
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Gaps between spans 58 rows/ })
        .click()
      const grid = page.getByRole('grid', { name: 'Gaps between spans' }),
        // between 30 spans of each of two threads
        gaps = Array.from(
          { length: 60 },
          (_, i) => BigInt(999 - ((i * 37) % 101)) * 1000000n,
        ).filter((_, i) => i % 30 < 29)
      await grid.waitFor()
      assert.equal(Number(await grid.getAttribute('aria-rowcount')), 59)
      const shown = await grid
        .locator('td[data-column=gap_ns] span')
        .evaluateAll(all => all.map(one => one.title))
      assert.deepEqual(
        shown.map(text => psOf(text.replace(' ns', ''))),
        gaps,
      )
      assert.equal(await sortsByEach(grid), 3)
      await page.getByLabel('Filter rows', { exact: true }).last().fill('track ~ 2')
      await until('fewer rows', async () => {
        const tracks = await grid.locator('td[data-column=track]').allTextContents()
        return tracks.length && tracks.every(track => track.includes('2'))
      })
    } finally {
      await other.end()
    }
  },
)

// Each size and each set of colours once.
for (const look of [LOOKS[0], LOOKS[3]]) {
  const name = look.colorScheme + ' ' + look.viewport.width
  view.test('T59 axe finds nothing: ' + name, async () => {
    const page = await openProfile(view.url, look)
    await page
      .locator('.timeline .row .name', { hasText: 'XLA Ops' })
      .first()
      .click({ position: { x: 10, y: 8 } }) // beside it are the buttons of the row
    await rest(page)
    assert.deepEqual(await axeOf(page), [])
    await page.locator('.timeline .row .tool:visible').first().hover()
    assert.ok((await page.locator('.timeline .row .tool:visible').count()) >= 5)
    assert.deepEqual(await smallOf(page), [])
    await shot(page, 'axe-' + name)
  })
}

for (const look of [LOOKS[0], LOOKS[3]]) {
  const name = look.colorScheme + ' ' + look.viewport.width
  view.test(
    'T59 axe finds nothing in any other page, nor in dialogs, and no target is less than 24 pixels: ' +
      name,
    async () => {
      // Rows are alike, so the first of a table are looked at for all.
      const page = await openProfile(view.url, { ...look, brief: true }),
        dialogs = { '?': 'Keys and mouse', '+': 'Add a widget', l: 'Layouts' },
        found = []
      const look_ = async (where, within) => {
        await page
          .locator('tbody tr:nth-child(n + 13)')
          .evaluateAll(rows => rows.forEach(row => row.remove()))
        found.push(
          ...[...(await axeOf(page, within)), ...(await smallOf(page))].map(
            one => where + ': ' + one,
          ),
        )
      }
      for (const [key, label] of Object.entries(dialogs)) {
        await page.keyboard.press(key)
        await page.getByRole('dialog', { name: label }).waitFor()
        await look_(label, 'dialog')
        await page.keyboard.press('Escape')
      }
      // Those that are in front in a built-in layout are looked at there.
      const others = [
        'Findings',
        'Verdict',
        'Gaps',
        'Latency',
        'Problems',
        'Search',
        'Annotations',
        'Gates',
        'Events',
        'Report',
        'Tables',
        'Critical path',
      ]
      for (const title of look === LOOKS[3] ? others : []) {
        await layout(page, 'Timeline')
        await page.locator('.timeline .over').focus()
        await page.keyboard.press('+')
        await page
          .getByRole('dialog')
          .locator('ul:not(.tables) .pick', {
            has: page.locator('b', { hasText: new RegExp('^' + title + '$') }),
          })
          .click()
        await rest(page)
        await look_(title, '.widget:not(.lm-mod-hidden, .widget-timeline)')
      }
      await page.goto(view.server.base + '/')
      await page.getByRole('grid', { name: 'Profiles' }).waitFor()
      await look_('list')
      await page.locator('tbody input[type=checkbox]').first().check()
      for (const [button, label] of [
        ['Tag', 'Tag'],
        ['Delete', /^Delete 1/],
        ['Export', 'Export'],
        ['Open a path…', 'Open a path on the server'],
      ]) {
        await page
          .getByRole('button', { name: new RegExp('^' + button) })
          .first()
          .click()
        await page.getByRole('dialog', { name: label }).waitFor()
        await look_(button, 'dialog')
        await page.keyboard.press('Escape')
      }
      const id = view.url.split('/').pop()
      for (const [address, there] of [
        ['/compare?a=' + id + '&b=' + id, '.diff .grid, .diff .unknown'],
        ['/profile/n_' + '0'.repeat(40), 'main.missing'],
      ]) {
        await page.goto(view.server.base + address)
        await page.locator(there).first().waitFor()
        await rest(page)
        await look_(address)
      }
      assert.deepEqual(found, [])
    },
  )
}

view.test(
  'T62 names with markup, from right to left, 1 MB long, are text and nothing else',
  async () => {
    const page = await openProfile(
      await view.add(
        put('hostile.json', {
          traceEvents: HOSTILE.map((name, i) => ({
            ph: 'X',
            pid: 1,
            tid: 1,
            ts: 10 * i,
            dur: 9,
            name,
            cat: name.slice(0, 200),
            args: { note: name.slice(0, 2000) },
          })),
        }),
      ),
    )
    await openTab(page, 'Selection')
    await page
      .getByRole('grid', { name: 'Statistics of the selection' })
      .locator('tbody tr')
      .nth(4)
      .waitFor()
    for (let i = 0; i < HOSTILE.length; i++) {
      await page.keyboard.press('.')
      await until('event ' + i, async () =>
        (
          await page
            .locator('.event-name')
            .textContent()
            .catch(() => '')
        ).startsWith(HOSTILE[i].slice(0, 20)),
      )
    }
    const whole = async where => {
      assert.notEqual(await page.title(), 'bad', where)
      assert.equal(
        await page.locator('main img, main script, header img, header script').count(),
        0,
        where,
      )
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        where,
      )
    }
    await whole('Overview')
    for (const name of LAYOUTS) {
      await layout(page, name)
      await whole(name)
    }
    // Each widget and each table there is, in front, with what it has to say.
    await layout(page, 'Timeline')
    const picked = selector => page.getByRole('dialog', { name: 'Add a widget' }).locator(selector)
    await page.keyboard.press('+')
    await page.getByRole('dialog', { name: 'Add a widget' }).waitFor()
    const kinds = [picked('ul:not(.tables) .pick'), picked('ul.tables .pick')],
      names = await Promise.all(kinds.map(one => one.allTextContents()))
    await page.keyboard.press('Escape')
    assert.ok(names[0].length > 20, names[0].join())
    // A table without rows has no name to show: one is looked at for all of them.
    const empty = names[1].filter(name => / 0 rows$/.test(name)).slice(ALL ? Infinity : 1)
    assert.ok(names[1].length - empty.length > 3, empty.join())
    for (const [k, pick] of kinds.entries()) {
      for (const [i, name] of names[k].entries()) {
        if (empty.includes(name)) continue
        await page.keyboard.press('+')
        await pick.nth(i).click()
        await rest(page)
        await whole(name)
        await page.locator('.timeline .over').focus()
      }
    }
    await shot(page, 'hostile')
    const id = page.url().match(/n_[0-9a-f]{40}/)[0]
    for (const [address, there] of [
      ['/', '.name-cell'],
      ['/compare?a=' + id + '&b=' + view.url.split('/').pop(), '.diff .grid, .diff .unknown'],
    ]) {
      await page.goto(view.server.base + address)
      await page.locator(there).first().waitFor()
      await whole(address)
    }
  },
)

view.test(
  'lanes are shown before the dock is loaded, where it will have them, and keys pressed meanwhile are not lost',
  async () => {
    let come
    const wanted = new Promise(resolve => {
      come = resolve
    })
    const page = await open(view.url, {
        before: page => page.route('**/lib/later.js', route => come(() => route.continue())),
      }),
      go = await wanted
    // Within the dock: what is above it may come later, and move it.
    const box = () =>
      page.locator('.timeline').evaluate(one => {
        const own = one.getBoundingClientRect(),
          dock = one.closest('.dock').getBoundingClientRect()
        return { x: own.x - dock.x, y: own.y - dock.y, width: own.width }
      })
    const times = async () =>
      /^\S+ to \S+ ns/.exec(await page.locator('.over').getAttribute('aria-label'))[0]
    await page.locator('.over[aria-label]').waitFor()
    const early = await box(),
      whole = await times(),
      first = await page.locator('.tree .row .name').first().textContent()
    assert.equal(await page.locator('.lm-DockPanel').count(), 0)
    await page.keyboard.press('w')
    assert.equal(await times(), whole)
    await go()
    await until('the page', () => page.locator('.timeline:not([aria-busy])').count())
    await until('the key', async () => (await times()) !== whole)
    const late = await box()
    for (const side of ['x', 'y', 'width'])
      assert.ok(Math.abs(early[side] - late[side]) <= 1, JSON.stringify([early, late]))
    assert.equal(await page.locator('.tree .row .name').first().textContent(), first)
    assert.equal(await page.locator('.opening').count(), 0)
    assert.equal(await page.locator('.timeline').count(), 1)
  },
)

view.test('what is wanted before the rest of the page has come is done when it comes', async () => {
  let come
  const wanted = new Promise(resolve => {
    come = resolve
  })
  const page = await openProfile(view.url, {
    before: page => page.route('**/lib/rest.js', route => come(() => route.continue())),
  })
  // Nothing waits for what people type: the verb is typed and entered before its list is there.
  await page.keyboard.press('/')
  await page.keyboard.type('slo')
  await page.keyboard.press('Enter')
  const go = await wanted
  assert.equal(await page.locator('#asks').count(), 0)
  await go()
  await page.locator('.widget-details .event-name').waitFor()
})

view.test(
  'where the rest of the page does not come the page says so, and the next try may have it',
  async () => {
    const lost = 'This part of the page did not come',
      none = route => route.abort(),
      page = await openProfile(view.url, { before: page => page.route('**/lib/rest.js', none) }),
      status = page.locator('#status')
    await page.keyboard.press('?')
    await status.filter({ hasText: lost }).waitFor({ state: 'attached' })
    await page.keyboard.press('x')
    await page.locator('.widget-details [role=alert]').filter({ hasText: lost }).waitFor()
    await page.unroute('**/lib/rest.js', none)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys and mouse' }).waitFor()
    const list = await open(view.server.base + '/', {
      before: page => page.route('**/lib/rest.js', none),
    })
    await list.locator('#app [role=alert]').filter({ hasText: lost }).waitFor()
  },
)

view.test(
  'no width cuts the verdict, its bar or a figure, and none has the page scroll',
  async () => {
    const page = await openProfile(
      await view.add(
        put(
          'long.pt.trace.json',
          torchTrace(6, 48, name => name + '_' + 'tilesize128x128x64_'.repeat(8)),
        ),
      ),
    )
    const shown = () =>
      page.evaluate(() => ({
        cut: [
          ...document.querySelectorAll('.verdict :is(h1, p, .part-names button), .figure-list dd'),
        ]
          .filter(one => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
          .map(one => one.textContent),
        wide: document.documentElement.scrollWidth - innerWidth,
      }))
    for (const width of [1440, 1280, 1150, 1024, 900, 700, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      await drawn(page)
      assert.deepEqual(await shown(), { cut: [], wide: 0 }, String(width))
      assert.deepEqual(
        (await looksOf(page)).filter(one => /^(cut|touches)/.test(one)),
        [],
        String(width),
      )
    }
  },
)

view.test(
  'a widget that is too low for pies says so by a button, which draws them; the link keeps that',
  async () => {
    const page = await openProfile(view.url, { viewport: { width: 1024, height: 700 } }),
      pies = page.locator('.widget-operators .pies'),
      button = page.getByRole('button', { name: 'Pies', exact: true })
    await page.locator('.widget-operators tbody tr').first().waitFor()
    assert.equal(await pies.isVisible(), false)
    await button.click()
    assert.equal(await button.getAttribute('aria-pressed'), 'true')
    await pies.getByText('Time by device').waitFor()
    await until('the address', async () => page.url().includes('pies'))
    const again = await openProfile(page.url(), { viewport: { width: 1024, height: 700 } })
    await again.locator('.widget-operators .pies').getByText('Time by device').waitFor()
    await again.getByRole('button', { name: 'Pies', exact: true }).click()
    await again.locator('.widget-operators .pies').waitFor({ state: 'hidden' })
    // Where there is room they are there without a button.
    await again.setViewportSize({ width: 1440, height: 1200 })
    await again.locator('.widget-operators .pies').waitFor()
    assert.equal(await again.getByRole('button', { name: 'Pies', exact: true }).isVisible(), false)
  },
)

view.test(
  'a long name and a long field of Details unfold: nothing in it scrolls but itself',
  async () => {
    const name = 'kernel_' + 'abcdefgh'.repeat(60),
      note = 'word '.repeat(300).trim()
    const page = await openProfile(
      await view.add(
        put('fields.json', {
          traceEvents: [{ ph: 'X', pid: 1, tid: 1, ts: 0, dur: 9, name, args: { note } }],
        }),
      ),
      { viewport: { width: 1024, height: 700 } },
    )
    await page.keyboard.press('.')
    const details = page.locator('.widget-details')
    await details.locator('.event-name', { hasText: 'kernel_' }).waitFor()
    const scrolls = () =>
      details.evaluate(
        element =>
          [...element.querySelectorAll('dd, h2, details')].filter(
            one =>
              one.scrollHeight > one.clientHeight + 1 &&
              getComputedStyle(one).overflowY !== 'visible',
          ).length,
      )
    assert.equal(await scrolls(), 0)
    assert.deepEqual(await axeOf(page, '.widget-details'), [])
    const long = details.locator('.event-name .rest')
    assert.equal(
      await long.locator('summary').textContent(),
      String(name.length - 240) + ' more letters',
    )
    await long.locator('summary').focus()
    await page.keyboard.press('Enter')
    assert.equal(
      (await details.locator('.event-name').innerText()).replace(/\s*\d+ more letters\s*/, ''),
      name,
    )
    assert.equal(await scrolls(), 0)
  },
)

view.test(
  'kernels of XLA are found by the name of HLO that they state, and work without an operator is unknown',
  async () => {
    const page = await openProfile(
        await view.add(made('kernels.xplane.pb', 'view/fixtures.py', 'kernels')),
      ),
      operators = page.locator('.widget-operators')
    for (const [name, start] of [
      ['custom-call.1 (program 73)', '10,000 ns'],
      ['custom-call.1 (program 19)', '0 ns'],
      ['fusion.2', '20,000 ns'],
    ]) {
      await operators.locator('tbody tr', { hasText: name }).click()
      await until(
        'its row: ' + name,
        async () =>
          (await page.locator('.event-name').count()) > 0 && (await fieldsOf(page)).start === start,
      )
      assert.equal(await page.locator('.pages').textContent(), '1 of 1')
    }
    await page.keyboard.press('Escape') // leaves the search
    await page.keyboard.press('Escape') // and what is selected
    const [, share] = /^.*? ([\d.]+ %)/.exec(
      await figureOf(page, 'top (kernel|operator)').textContent(),
    )
    assert.equal(share, '29.4 %') // 5 of 17 us
    await operators.getByLabel('Level').selectOption('framework')
    const unnamed = operators.locator('tbody tr', { hasText: 'unknown' })
    await unnamed.waitFor()
    assert.equal(await operators.locator('tbody', { hasText: 'null' }).count(), 0)
    const query = await page.getByLabel('Search the whole profile').inputValue()
    await unnamed.click()
    await page
      .locator('[data-say]', { hasText: 'does not say of which operator' })
      .first()
      .waitFor({ state: 'attached' })
    assert.equal(await page.getByLabel('Search the whole profile').inputValue(), query)
  },
)

view.test(
  'a row of Operators leads to its own device, also where the host and another device have rows of that name',
  async () => {
    const row = (pid, ts, device) => ({
      ph: 'X',
      name: 'gemm',
      pid,
      tid: pid === 100 ? 1 : 7,
      ts,
      dur: 5,
      ...(device === undefined
        ? { cat: 'cpu_op' }
        : { cat: 'kernel', args: { device, stream: 7 } }),
    })
    const trace = {
      deviceProperties: [
        { id: 0, name: 'NVIDIA H100' },
        { id: 1, name: 'NVIDIA H100' },
      ],
      traceEvents: [
        row(100, 0),
        row(0, 10, 0),
        row(0, 20, 0),
        row(1, 30, 1),
        row(1, 40, 1),
        row(100, 50),
      ],
    }
    const page = await openProfile(await view.add(put('same.pt.trace.json', trace))),
      operators = page.locator('.widget-operators')
    await operators.getByLabel('Level').selectOption('name')
    for (const [device, starts] of [
      ['GPU 1', [30, 40, 30]],
      ['GPU 0', [10, 20]],
    ]) {
      for (const start of starts) {
        await operators.locator('tbody tr', { hasText: device }).click()
        await until(
          device + ' at ' + start,
          async () =>
            (await page.locator('.event-name').count()) > 0 &&
            (await fieldsOf(page)).start === (start * 1000).toLocaleString('en') + ' ns',
        )
      }
    }
  },
)

view.test(
  'a row of Operators leads to its own device, also behind more hits of another than come at once',
  async () => {
    const row = (device, ts) => ({
      ph: 'X',
      cat: 'kernel',
      name: 'gemm',
      pid: device,
      tid: 7,
      ts,
      dur: 5,
      args: { device, stream: 7 },
    })
    const trace = {
      deviceProperties: [0, 1].map(id => ({ id, name: 'NVIDIA H100' })),
      traceEvents: [
        ...Array.from({ length: 1100 }, (_, i) => row(0, 100 + 10 * i)),
        row(1, 30),
        row(1, 40),
      ],
    }
    const page = await openProfile(await view.add(put('many.pt.trace.json', trace))),
      operators = page.locator('.widget-operators')
    await operators.getByLabel('Level').selectOption('name')
    for (const start of [30, 40, 30]) {
      await operators.locator('tbody tr', { hasText: 'GPU 1' }).click()
      await until(
        'GPU 1 at ' + start,
        async () =>
          (await page.locator('.event-name').count()) > 0 &&
          (await fieldsOf(page)).start === (start * 1000).toLocaleString('en') + ' ns',
      )
    }
  },
)
