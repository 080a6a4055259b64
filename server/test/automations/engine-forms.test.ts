/**
 * Forms: an answered page starts one run, whose steps see typed answers. People get faults in plain words, programs are kept
 * out, and pages reveal nothing about addresses that they do not belong to.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { automation_limits } from '../../src/automations/limits.ts'
import { query } from '../../src/db/query.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import type { Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { pageKeyOf, type Send, sendForm } from '../forms.ts'
import { openWorld, type World } from '../world.ts'
import { type Desk, openDesk } from './desk.ts'

const everything = (table: 'automation_submissions' | 'audit_entries' | 'events' | 'idempotency' | 'credit_windows') =>
  query<object>((db) => db.selectFrom(table as 'events').selectAll())

const runsOf = query<{ id: string; status: string; status_reason: string | null }, { flow: string }>((db, p) =>
  db
    .selectFrom('automation_runs')
    .select(['id', 'status', 'status_reason'])
    .where('automation_flow', '=', p('flow'))
    .orderBy('id'),
)

const fields = [
  { key: 'title', label: 'What is it about?', kind: 'short_text', required: true },
  { key: 'text', label: 'Tell us more', kind: 'long_text', hint: 'What happened?\nAnd when?' },
  { key: 'area', label: 'Area', kind: 'select', options: ['Garden & yard', 'Roof'], required: true },
  { key: 'count', label: 'How many?', kind: 'number' },
  { key: 'needed', label: 'Needed by', kind: 'date' },
  { key: 'agreed', label: 'I have read the rules', kind: 'checkbox', required: true },
  { key: 'mail', label: 'Your address', kind: 'email' },
]

/** Files a task with the title and the date from the form, and says what else was answered. */
function intake(config: object = {}, settings: object = {}) {
  return {
    schema_version: 5,
    settings,
    nodes: [
      { id: 'asked', type: 'trigger.form', config: { title: 'Report <a> fault', fields, ...config } },
      {
        id: 'file',
        type: 'task.create',
        config: {
          set: {
            title: { $expr: 'form.title' },
            due_at: { $expr: 'form.needed_at' },
            description: { $template: '{{ form }}' },
          },
        },
      },
    ],
    edges: [{ source: 'asked', target: 'file' }],
  }
}

const good = { title: 'A lamp is broken', area: 'Roof', agreed: 'yes' }

onEveryEngine('a form', (engine) => {
  let world: World
  let desk: Desk

  before(async () => {
    world = await openWorld(engine)
    desk = await openDesk(world)
  })
  after(async () => world?.close())

  const reader = () => world.services.store.reader('system')
  const runs = async (flow: string) => await reader().all(runsOf, { flow })
  const send: Send = (method, path, options) =>
    world.call(method, path, { key: null, idempotencyKey: null, ...options })
  const formOf = async (flow: string) => (await world.get(`/v1/automation_flows/${flow}/form`)).body

  async function opened(graph: object): Promise<{ readonly flow: string; readonly path: string }> {
    const flow = (await desk.activate(graph)).id
    return { flow, path: new URL((await formOf(flow)).url).pathname }
  }

  /** The key of a page that a person has had time to fill in; in a minute of its own, so that no count is reached. */
  async function load(path: string): Promise<string> {
    const shown = await send('GET', path)
    assert.equal(shown.status, 200, shown.text)
    world.clock.set(world.clock.now() + 60_000)
    return pageKeyOf(shown)
  }

  /** Sets the count of this day. */
  const use = async (subject: string, used: number) =>
    await world.services.store.write('system', async (tx) => {
      tx.write(setUsed, { organization: world.acme.id, subject, used })
    })

  /** A page without what differs between any two answers. */
  const bytes = ({ status, headers, text }: Reply) => {
    const same = Object.entries(headers).filter(([name]) => name !== 'date' && name !== 'x-request-id')
    return JSON.stringify([status, same.sort(), text])
  }

  it('starts a run whose steps see every answer by its key, typed, and a date as seconds too', async () => {
    const { path, flow } = await opened(intake())
    const reply = await sendForm(send, path, await load(path), {
      ...{ title: '  A lamp is broken ', text: 'Line 1\r\nLine 2', area: 'Garden & yard', count: '3,5' },
      ...{ needed: '2027-03-01', agreed: 'yes', mail: 'ada@example.com' },
    })
    assert.deepEqual([reply.status, reply.headers.location], [303, '?sent'])
    const [run] = await runs(flow)
    await drainRuns(world.services)
    const shown = (await world.get(`/v1/automation_runs/${run?.id}?workspace=${desk.workspace}`)).body
    assert.equal(shown.status, 'succeeded', JSON.stringify(shown.failure))
    const task = (await world.get(`/v1/tasks/${shown.steps[0].changes[0].id}`)).body
    const at = Date.UTC(2027, 2, 1) / 1000
    assert.deepEqual([task.title, task.due_at], ['A lamp is broken', at])
    assert.deepEqual(JSON.parse(task.description), {
      ...{ title: 'A lamp is broken', text: 'Line 1\nLine 2', area: 'Garden & yard', count: 3.5 },
      ...{ needed: '2027-03-01', needed_at: at, agreed: true, mail: 'ada@example.com' },
    })
  })

  it('leaves an optional field that was not filled in null, and a checkbox that was not checked false', async () => {
    const optional = fields.map((field) => ({ ...field, required: field.key === 'title' }))
    const { path, flow } = await opened(intake({ fields: optional }))
    await sendForm(send, path, await load(path), { title: 'Only this' })
    const [run] = await runs(flow)
    await drainRuns(world.services)
    const shown = (await world.get(`/v1/automation_runs/${run?.id}?workspace=${desk.workspace}`)).body
    const task = (await world.get(`/v1/tasks/${shown.steps[0].changes[0].id}`)).body
    assert.deepEqual(JSON.parse(task.description), {
      ...{ title: 'Only this', text: null, area: null, count: null, needed: null, needed_at: null },
      ...{ agreed: false, mail: null },
    })
  })

  it('starts one run for a loaded page, however often and at once it is sent, and also after a new version', async () => {
    const { path, flow } = await opened(intake())
    const page = await load(path)
    const replies = await Promise.all(Array.from({ length: 6 }, () => sendForm(send, path, page, good)))
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [303])
    assert.equal((await runs(flow)).length, 1)
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: desk.workspace })
    const { preview_token } = await desk.preview(flow)
    const body = { workspace: desk.workspace, preview_token, scope_acknowledged: true }
    await world.make(`/v1/automation_flows/${flow}/activate`, body)
    assert.equal((await sendForm(send, path, page, { ...good, title: 'Changed' })).status, 303)
    assert.equal((await runs(flow)).length, 1)
    assert.equal((await sendForm(send, path, await load(path), good)).status, 303)
    assert.equal((await runs(flow)).length, 2, 'another load of the page')
  })

  it('shows faults at their fields in plain words, keeps what was typed, and starts nothing', async () => {
    const { path, flow } = await opened(intake())
    const wrong: readonly [Readonly<Record<string, string>>, string, string][] = [
      [{ title: ' ' }, 'title', 'Please fill this in.'],
      [{ area: '' }, 'area', 'Please fill this in.'],
      [{ agreed: '' }, 'agreed', 'Please fill this in.'],
      [{ title: 'x'.repeat(201) }, 'title', 'This is too long: at most 200 characters.'],
      [{ text: 'x'.repeat(5001) }, 'text', 'This is too long: at most 5000 characters.'],
      [{ title: 'a\nb' }, 'title', 'Please use one line of plain text.'],
      [{ text: 'a\0b' }, 'text', 'Please use one line of plain text.'],
      [{ area: 'Cellar' }, 'area', 'Please choose one of the options.'],
      [{ count: 'many' }, 'count', 'Please enter a number, such as 12 or 3.5.'],
      [{ count: '1e999' }, 'count', 'Please enter a number, such as 12 or 3.5.'],
      [{ needed: '2027-02-29' }, 'needed', 'Please enter a date as year-month-day, such as 2027-01-31.'],
      [{ mail: 'ada' }, 'mail', 'Please enter an e-mail address, such as name@example.com.'],
    ]
    for (const [answers, key, message] of wrong) {
      const reply = await sendForm(send, path, await load(path), { ...good, text: 'Kept "so"', ...answers })
      assert.equal(reply.status, 422, key)
      assert.ok(
        reply.text.includes(`<p class="fault" id="answer_${key}_fault">${message}</p>`),
        `${key}: ${reply.text}`,
      )
      const control = new RegExp(`<(input|select|textarea)[^>]* name="answer_${key}"[^>]*>`).exec(reply.text)?.[0] ?? ''
      assert.match(control, /aria-invalid="true"/)
      assert.match(control, new RegExp(`aria-describedby="[^"]*answer_${key}_fault"`))
      assert.equal(reply.text.match(/class="fault"/g)?.length, 1, key)
      if (key !== 'text') assert.ok(reply.text.includes('Kept &quot;so&quot;</textarea>'))
      if (key === 'title') continue
      assert.ok(reply.text.includes('value="A lamp is broken"'))
    }
    assert.deepEqual(await runs(flow), [])
    const page = await load(path)
    assert.equal((await sendForm(send, path, page, { ...good, area: 'Cellar' })).status, 422)
    assert.equal((await sendForm(send, path, page, good)).status, 303, 'the corrected page')
    assert.equal((await runs(flow)).length, 1)
  })

  it('writes what people wrote as text, never as markup, under a policy without scripts', async () => {
    const introduction = 'First <script>x</script>\nsecond line\n\n[Next](javascript:x) & more'
    const { path } = await opened(intake({ introduction, thanks: '<b>Done</b> & "dusted"' }))
    const shown = await send('GET', path)
    assert.ok(shown.text.includes('<h1>Report &lt;a&gt; fault</h1>'))
    assert.ok(shown.text.includes('<p>First &lt;script&gt;x&lt;/script&gt;<br>second line</p>'))
    assert.ok(shown.text.includes('<p>[Next](javascript:x) &amp; more</p>'))
    assert.ok(shown.text.includes('<option value="Garden &amp; yard">Garden &amp; yard</option>'))
    assert.match(
      String(shown.headers['content-security-policy']),
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    assert.match(String(shown.headers['content-type']), /^text\/html/)
    assert.match(String(shown.headers['cache-control']), /no-store/)
    assert.equal(shown.headers['x-robots-tag'], 'noindex')
    assert.ok(!/<script|javascript:x"|\bon\w+=/i.test(shown.text))
    const hostile = '"><img src=x onerror=1>'
    const again = await sendForm(send, path, await load(path), { title: hostile, text: `</textarea>${hostile}` })
    assert.equal(again.status, 422)
    assert.ok(!again.text.includes('<img') && again.text.includes('&lt;/textarea&gt;'))
    const thanks = await send('GET', `${path}?sent`)
    assert.ok(thanks.text.includes('<p>&lt;b&gt;Done&lt;/b&gt; &amp; &quot;dusted&quot;</p>'))
  })

  it('speaks German to those who prefer it', async () => {
    const { path } = await opened(intake())
    const headers = { 'accept-language': 'fr-FR, de-AT;q=0.9, en;q=0.8' }
    const shown = await send('GET', path, { headers })
    assert.ok(shown.text.includes('<html lang="de">') && shown.text.includes('<button>Senden</button>'))
    assert.ok((await send('GET', path, { headers: { 'accept-language': 'fr' } })).text.includes('<html lang="en">'))
  })

  it('keeps programs out: a filled trap, a missing, forged or foreign page, and a page that is sent too soon or too late', async () => {
    const { path, flow } = await opened(intake())
    const other = await opened(intake())
    const page = await load(path)
    const trapped = await sendForm(send, path, page, good, { website: 'https://spam.example' })
    assert.deepEqual([trapped.status, trapped.headers.location], [303, '?sent'], 'the program learns nothing')
    const [head = '', loaded = '', signature = ''] = page.split('.')
    const forged = [
      '',
      'x',
      `${head}.${loaded}.${signature.replace(/^./, (c) => (c === 'A' ? 'B' : 'A'))}`,
      `${head.replace(/^./, (c) => (c === 'a' ? 'b' : 'a'))}.${loaded}.${signature}`,
      `${head}.${(Number.parseInt(loaded, 36) - 1).toString(36)}.${signature}`,
      await load(other.path),
    ]
    for (const each of forged) {
      const reply = await sendForm(send, path, each, good)
      assert.equal(reply.status, 422, each)
      assert.ok(reply.text.includes('Please send the form once more.'))
      assert.notEqual(pageKeyOf(reply), each)
    }
    assert.deepEqual(await runs(flow), [])
    const early = pageKeyOf(await send('GET', path))
    world.clock.set(world.clock.now() + automation_limits.automation_form_fill_ms - 1)
    const refused = await sendForm(send, path, early, good)
    assert.deepEqual([refused.status, pageKeyOf(refused)], [422, early])
    world.clock.set(world.clock.now() + 1)
    assert.equal((await sendForm(send, path, early, good)).status, 303)
    const late = pageKeyOf(await send('GET', path))
    world.clock.set(world.clock.now() + automation_limits.automation_form_page_ms + 1)
    assert.equal((await sendForm(send, path, late, good)).status, 422)
    assert.equal((await sendForm(send, path, early, good)).status, 303, 'an accepted page is not sent once more')
    assert.equal((await runs(flow)).length, 1)
  })

  it('refuses what no browser sends, with a page, and writes nothing', async () => {
    const { path, flow } = await opened(intake())
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const [raw, headers] of [
      ['{}', { 'content-type': 'application/json' }],
      ['page=x', { 'content-type': 'multipart/form-data; boundary=x' }],
      ['page=x', { ...form, 'content-encoding': 'gzip' }],
      ['x'.repeat(automation_limits.automation_form_bytes_max + 1), form],
    ] as const) {
      const reply = await send('POST', path, { raw, headers })
      assert.deepEqual([reply.status, /<h1>Not sent<\/h1>/.test(reply.text)], [400, true])
    }
    assert.equal((await send('PUT', path, { raw: 'x', headers: form })).headers.allow, 'GET, POST')
    assert.deepEqual(await runs(flow), [])
  })

  it('answers unknown, replaced and foreign addresses, and a flow without its form, with the same bytes', async () => {
    const { path, flow } = await opened(intake())
    const page = await load(path)
    const unknown = bytes(await send('GET', `/forms/${'a'.repeat(43)}`))
    assert.match(unknown, /^\[404,/)
    const unknownPost = bytes(await sendForm(send, `/forms/${'a'.repeat(43)}`, page, good))
    assert.match(unknownPost, /^\[404,/)
    const replaced = await world.make(`/v1/automation_flows/${flow}/replace_form`, {})
    assert.equal(bytes(await send('GET', path)), unknown)
    assert.equal(bytes(await sendForm(send, path, page, good)), unknownPost)
    const next = new URL(replaced.url).pathname
    assert.equal((await sendForm(send, next, await load(next), good)).status, 303)
    for (const other of ['a', '%00', 'a'.repeat(500), flow, `${next.split('/').at(-1)}0`])
      assert.equal(bytes(await send('GET', `/forms/${other}`)), unknown, other)
    const graph = intake()
    graph.nodes[0] = { id: 'asked', type: 'trigger.webhook', config: {} } as never
    graph.nodes[1] = { id: 'file', type: 'task.create', config: { set: { title: 'x' } } } as never
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: desk.workspace })
    assert.equal((await world.call('PATCH', `/v1/automation_flows/${flow}`, { body: { graph } })).status, 200)
    const { preview_token } = await desk.preview(flow)
    const body = { workspace: desk.workspace, preview_token, scope_acknowledged: true }
    await world.make(`/v1/automation_flows/${flow}/activate`, body)
    assert.equal(bytes(await send('GET', next)), unknown)
  })

  it('says that it is closed while its flow is paused, and takes nothing', async () => {
    const { path, flow } = await opened(intake())
    const page = await load(path)
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: desk.workspace })
    assert.equal((await formOf(flow)).is_open, false)
    for (const reply of [
      await send('GET', path),
      await send('GET', `${path}?sent`),
      await sendForm(send, path, page, good),
    ]) {
      assert.equal(reply.status, 410)
      assert.ok(reply.text.includes('This form is closed.'))
      assert.ok(!reply.text.includes('Report'))
    }
    assert.deepEqual(await runs(flow), [])
  })

  it('shows its address only to those who may manage the flow', async () => {
    const { flow } = await opened(intake())
    const own = await world.get(`/v1/automation_flows/${flow}/form`)
    assert.match(own.body.url, /\/forms\/[0-9A-Za-z]{43}$/)
    assert.match(String(own.headers['cache-control']), /no-store/)
    const foreign = await world.get(`/v1/automation_flows/${flow}/form`, { key: world.globex.key })
    assert.equal(foreign.status, 404)
    const scopes = ['automations:read', 'tasks:read']
    const reading = (await world.make('/v1/api_keys', { name: 'Reads', scopes })).secret
    assert.equal((await world.get(`/v1/automation_flows/${flow}/form`, { key: reading })).status, 403)
    const none = (await desk.draft(intake())).id
    assert.equal((await world.get(`/v1/automation_flows/${none}/form`)).status, 404)
  })

  it('counts submissions per sender and minute, apart from credits, and starts none beyond', async () => {
    const { path, flow } = await opened(intake())
    const most = automation_limits.automation_form_sender_minute_max
    const pages = await Promise.all(Array.from({ length: most + 1 }, async () => pageKeyOf(await send('GET', path))))
    world.clock.set(world.clock.now() + 60_000)
    const before = (await world.get('/v1/usage')).body
    const replies = []
    for (const page of pages) replies.push(await sendForm(send, path, page, good))
    const refused = replies.pop()
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [303])
    assert.equal(refused?.status, 429)
    assert.match(String(refused?.text), /<h1>Please wait<\/h1>/)
    assert.ok(Number(refused?.headers['retry-after']) >= 1)
    assert.equal((await runs(flow)).length, most)
    assert.equal((await world.get('/v1/usage')).body.plan_day.used - before.plan_day.used, 1)
    const other = await opened(intake())
    assert.equal((await sendForm(send, other.path, await load(other.path), good)).status, 303, 'another form')
    assert.equal((await sendForm(send, path, await load(path), good)).status, 303, 'the next minute')
  })

  it('takes no more from a sender on a day, nor at all, than its limits, whose counts hold no address', async () => {
    const { path, flow } = await opened(intake({ when: 'false' }))
    const page = await load(path)
    const id = (await formOf(flow)).id
    assert.equal((await sendForm(send, path, page, good)).status, 303)
    const windows = (await reader().all(everything('credit_windows'), {})) as { subject: string }[]
    const sender = windows.map(({ subject }) => subject).find((subject) => subject.startsWith(`${id} `)) ?? ''
    assert.ok(sender !== '' && !JSON.stringify(windows).includes('127.0.0.1'))
    const { automation_form_day_max: most, automation_form_sender_day_max: most_of_sender } = automation_limits
    for (const [subject, used] of [
      [sender, most_of_sender],
      [id, most],
    ] as const) {
      await use(subject, used - 1)
      assert.equal((await sendForm(send, path, await load(path), good)).status, 303)
      assert.equal((await sendForm(send, path, await load(path), good)).status, 429)
      await use(subject, 0)
    }
    assert.deepEqual(await runs(flow), [])
  })

  it('starts no run if its condition is not met, and tells the sender when the flow takes no more', async () => {
    const { path, flow } = await opened(intake({ when: "form.area == 'Roof'" }, { max_runs_per_hour: 1 }))
    assert.equal((await sendForm(send, path, await load(path), { ...good, area: 'Garden & yard' })).status, 303)
    assert.deepEqual(await runs(flow), [])
    assert.equal((await sendForm(send, path, await load(path), good)).status, 303)
    const page = await load(path)
    for (const again of [1, 2]) {
      const reply = await sendForm(send, path, page, good)
      assert.equal(reply.status, 503, `${again}`)
      assert.ok(reply.text.includes('takes no more answers') && reply.text.includes('value="A lamp is broken"'))
      assert.notEqual(pageKeyOf(reply), page)
    }
    const reasons = (await runs(flow)).map(({ status_reason }) => status_reason)
    assert.deepEqual(reasons, [null, 'hourly_limit'])
  })

  it('is previewed with sample answers without effect, with the latest by default, and with invented ones before', async () => {
    const { path, flow } = await opened(intake())
    const preview = async (more: object) =>
      await world.call('POST', `/v1/automation_flows/${flow}/preview`, {
        body: { workspace: desk.workspace, task: desk.task, ...more },
      })
    const titleOf = ({ body }: Reply) => body.steps[0]?.changes[0]?.fields.title?.to
    assert.equal(titleOf(await preview({})), 'What is it about?')
    const form = { title: 'From a sample', area: 'Roof', agreed: true, count: 2, mail: null }
    const sampled = await preview({ form })
    assert.deepEqual([sampled.body.trigger.type, sampled.body.outcome], ['trigger.form', 'succeeded'])
    assert.equal(titleOf(sampled), 'From a sample')
    await sendForm(send, path, await load(path), good)
    assert.equal(titleOf(await preview({})), 'A lamp is broken')
    const effects = (await world.get(`/v1/automation_flows/${flow}/effects`)).body
    assert.deepEqual([effects.runs, effects.succeeded, effects.tasks_created], [1, 1, 1])
    assert.equal((await runs(flow)).length, 1)
    for (const [wrong, param] of [
      [{ form: { ...form, colour: 'red' } }, 'form.colour'],
      [{ form: { ...form, title: '' } }, 'form.title'],
      [{ form: { ...form, area: 'Cellar' } }, 'form.area'],
      [{ form, request: { body: {} } }, 'form'],
    ] as const) {
      const refused = await preview(wrong)
      assert.deepEqual([refused.status, refused.body.error.param], [400, param])
    }
    const manual = await desk.draft({
      schema_version: 1,
      nodes: [
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        { id: 'done', type: 'task.complete', config: {} },
      ],
      edges: [{ source: 'by_hand', target: 'done' }],
    })
    const body = { workspace: desk.workspace, task: desk.task, form }
    const refused = await world.call('POST', `/v1/automation_flows/${manual.id}/preview`, { body })
    assert.deepEqual([refused.status, refused.body.error.param], [400, 'form'])
  })

  it('shows with the run what was answered, to those who may read it', async () => {
    const { path, flow } = await opened(intake())
    await sendForm(send, path, await load(path), { ...good, text: `My key is ${world.acme.key}`, count: '4' })
    const [run] = await runs(flow)
    const input = `/v1/automation_runs/${run?.id}/input?workspace=${desk.workspace}`
    const { body } = await world.get(input)
    assert.deepEqual(
      [body.object, body.automation_run, body.request, body.form.map((each: { value: unknown }) => each.value)],
      [
        ...['automation_run_input', run?.id, null],
        ['A lamp is broken', body.form[1].value, 'Roof', 4, null, true, null],
      ],
    )
    assert.deepEqual(body.form[2], { key: 'area', label: 'Area', kind: 'select', value: 'Roof' })
    assert.ok(!JSON.stringify(body).includes(world.acme.key))
    const foreign = await world.get(input, { key: world.globex.key })
    assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'resource_not_found'])
  })

  it('keeps the secret of its address out of events, audit, request log and stored answers', async () => {
    const { path, flow } = await opened(intake())
    const secret = String(path.split('/').at(-1))
    const sent = await sendForm(send, path, await load(path), good)
    const replaced = await world.make(`/v1/automation_flows/${flow}/replace_form`, {})
    const log = (await world.get(`/v1/request_logs/${sent.headers['x-request-id']}`)).body
    assert.deepEqual([log.path, log.status, log.owner], ['/forms/{secret}', 303, { type: 'automation', id: flow }])
    for (const table of ['events', 'audit_entries', 'automation_submissions', 'idempotency'] as const) {
      const rows = JSON.stringify(await reader().all(everything(table), {}))
      assert.ok(!rows.includes(secret) && !rows.includes(replaced.secret), table)
    }
    const logs = JSON.stringify((await world.get('/v1/request_logs?limit=100')).body)
    assert.ok(!logs.includes(secret) && !logs.includes(replaced.secret))
  })
})

const setUsed = query<never, { organization: string; subject: string; used: number }>(
  (db, p) =>
    db
      .updateTable('credit_windows')
      .set({ used: p('used') })
      .where('organization', '=', p('organization'))
      .where('subject', '=', p('subject'))
      .where('kind', '=', 'received_day') as never,
)
