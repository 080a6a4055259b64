/**
 * Mail to flows: a mail starts one run, whose steps see sender, subject and text. Mail of programs is refused, so that none goes
 * round, and answers reveal nothing about addresses that a sender does not know.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { automation_limits } from '../../src/automations/limits.ts'
import { query } from '../../src/db/query.ts'
import { StoreUnavailable } from '../../src/db/store.ts'
import type { Receiver } from '../../src/mail/receiver.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { receiveReplies } from '../../src/workers/replies/receive.ts'
import { onEveryEngine } from '../engines.ts'
import { type SentMail, sendMail } from '../send-mail.ts'
import { openFirst, openWorld, type World, worldOf } from '../world.ts'
import { openDesk } from './desk.ts'

const domain = 'in.acme.example'

const runsOf = query<{ id: string; status: string; status_reason: string | null }, { flow: string }>((db, p) =>
  db
    .selectFrom('automation_runs')
    .select(['id', 'status', 'status_reason'])
    .where('automation_flow', '=', p('flow'))
    .orderBy('id'),
)

const everything = (table: 'automation_mails' | 'audit_entries' | 'events' | 'idempotency' | 'credit_windows') =>
  query<object>((db) => db.selectFrom(table as 'events').selectAll())

const setUsed = query<never, { organization: string; subject: string; used: number }>(
  (db, p) =>
    db
      .updateTable('credit_windows')
      .set({ used: p('used') })
      .where('organization', '=', p('organization'))
      .where('subject', '=', p('subject'))
      .where('kind', '=', 'received_day') as never,
)

/** Files a task whose description shows everything that a step sees of the mail. */
function intake(config: object = {}, settings: object = {}) {
  return {
    schema_version: 6,
    settings,
    nodes: [
      { id: 'received', type: 'trigger.mail', config },
      {
        id: 'file',
        type: 'task.create',
        config: { set: { title: { $expr: 'mail.subject' }, description: { $template: '{{ mail }}' } } },
      },
    ],
    edges: [{ source: 'received', target: 'file' }],
  }
}

const unknown = '550 5.1.1 There is no such address.'
const automatic = '550 5.7.1 Automatic mail is not accepted.'
const too_often = '451 4.7.1 Too many mails. Try again later.'

onEveryEngine('mail to a flow', (engine) => {
  const world = worldOf(engine, {
    environment: {
      ATRIUM_SMTP_URL: 'smtp://127.0.0.1:9',
      ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>',
      ATRIUM_INBOUND_MAIL: `smtp://127.0.0.1:0?domain=${domain}`,
    },
  })
  const desk = openFirst(() => openDesk(world))
  let receiver: Receiver
  let messages = 0

  before(async () => {
    receiver = await receiveReplies(world.services, '127.0.0.1', 0)
  })
  after(() => receiver?.close())

  const reader = () => world.services.store.reader('system')
  const runs = async (flow: string) => await reader().all(runsOf, { flow })
  const mailbox = async (flow: string) => (await world.get(`/v1/automation_flows/${flow}/mailbox`)).body

  async function opened(graph: object): Promise<{ readonly flow: string; readonly to: string }> {
    const flow = (await desk.activate(graph)).id
    return { flow, to: (await mailbox(flow)).address }
  }
  /** In a minute of its own, so that no count is reached. */
  async function send(mail: SentMail): Promise<string> {
    world.clock.set(world.clock.now() + 60_000)
    return await sendMail(receiver.port, { messageId: `<${++messages}.${engine}@navy.example>`, ...mail })
  }
  async function createdBy(flow: string): Promise<{ title: string; mail: object }> {
    const [run] = (await runs(flow)).slice(-1)
    await drainRuns(world.services)
    const shown = (await world.get(`/v1/automation_runs/${run?.id}?workspace=${desk.workspace}`)).body
    assert.equal(shown.status, 'succeeded', JSON.stringify(shown.failure))
    const task = (await world.get(`/v1/tasks/${shown.steps[0].changes[0].id}`)).body
    return { title: task.title, mail: JSON.parse(task.description) }
  }
  const reactivate = async (flow: string) => {
    const { preview_token } = await desk.preview(flow)
    const body = { workspace: desk.workspace, preview_token, scope_acknowledged: true }
    await world.make(`/v1/automation_flows/${flow}/activate`, body)
  }
  const pause = async (flow: string) =>
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: desk.workspace })

  it('starts a run whose steps see sender, name, subject, whole text and names of attachments', async () => {
    const { flow, to } = await opened(intake())
    assert.match(to, /^flow-[0-9a-z]{40}@in\.acme\.example$/)
    await world.markWritten()
    const text = 'Since Monday. Ä 🐎\n\n> Forwarded: quoted\n\n-- \nGrace'
    const attachments = [{ filename: '../photo\r\n.png', content: Buffer.from('x') }]
    const from = '"Grace, B. Hopper" <Grace@Navy.example>'
    assert.equal(await send({ to: to.toUpperCase(), from, text, attachments }), '250')
    await world.assertWritten({ events: ['automation.run.queued'], audit: ['automation_runs.start'] })
    const { title, mail } = await createdBy(flow)
    assert.equal(title, 'The crane is stuck')
    const { attachments: names, ...others } = mail as { attachments: string[] }
    assert.deepEqual(others, {
      ...{ from: 'grace@navy.example', name: 'Grace, B. Hopper', subject: 'The crane is stuck', text },
    })
    assert.equal(names.length, 1)
    assert.doesNotMatch(names[0] ?? '', /[\r\n]/)
  })

  it('reads a mail in HTML alone as text, and gives one without a subject a subject', async () => {
    const { flow, to } = await opened(intake())
    const html = '<p>It <b>squeaks</b>.</p><script>alert(1)</script>'
    const raw = `From: grace@navy.example\r\nTo: ${to}\r\nMessage-ID: <html.${engine}@x>\r\nContent-Type: text/html\r\n\r\n${html}\r\n`
    assert.equal(await send({ to, raw }), '250')
    const { title, mail } = await createdBy(flow)
    assert.equal(title, '(no subject)')
    assert.deepEqual(mail, {
      ...{ from: 'grace@navy.example', name: '', subject: '(no subject)', text: 'It squeaks.', attachments: [] },
    })
  })

  it('starts one run for a Message-ID, however often and at once it arrives, also after a new version', async () => {
    const { flow, to } = await opened(intake())
    const mail = { to, messageId: `<once.${engine}@navy.example>` }
    assert.deepEqual(await Promise.all([send(mail), send(mail), send(mail)]), ['250', '250', '250'])
    assert.equal((await runs(flow)).length, 1)
    await pause(flow)
    await reactivate(flow)
    assert.equal(await send({ ...mail, text: 'Another text.' }), '250')
    assert.equal((await runs(flow)).length, 1)
    const other = await opened(intake())
    assert.equal(await send({ ...mail, to: other.to }), '250')
    assert.equal((await runs(other.flow)).length, 1, 'the same mail to another flow')
    const raw = `From: grace@navy.example\r\nSubject: No id\r\n\r\nText\r\n`
    assert.deepEqual([await send({ to, raw }), await send({ to, raw })], ['250', '250'])
    assert.equal((await runs(flow)).length, 2, 'without a Message-ID the bytes identify a mail')
  })

  it('is accepted after the commit only: while the store is away the answer asks the sender to try again', async () => {
    const { flow, to } = await opened(intake())
    const { store } = world.services
    const write: World['services']['store']['write'] = async (scope, job, options) => {
      if (scope === 'system') return await store.write(scope, job, options)
      throw new StoreUnavailable('away')
    }
    const away = { ...world.services, store: Object.create(store, { write: { value: write } }) }
    const usual = receiver
    receiver = await receiveReplies(away, '127.0.0.1', 0)
    const mail = { to, messageId: `<away.${engine}@navy.example>` }
    try {
      assert.equal(await send(mail), '451 4.3.0 Try again later.')
    } finally {
      await receiver.close()
      receiver = usual
    }
    assert.deepEqual(await runs(flow), [])
    assert.equal(await send(mail), '250')
    assert.equal((await runs(flow)).length, 1)
  })

  it('of automatic programs, lists, bounces and our own addresses is refused, so that no mail goes round', async () => {
    const { flow, to } = await opened(intake())
    const other = await opened(intake())
    const loops: readonly Record<string, string>[] = [
      { 'Auto-Submitted': 'auto-generated' },
      { 'Auto-Submitted': 'auto-replied' },
      { Precedence: 'bulk' },
      { Precedence: 'list' },
      { 'List-Id': '<list.acme.example>' },
      { 'List-Unsubscribe': '<mailto:x@y.example>' },
      { 'X-Autoreply': 'yes' },
    ]
    for (const headers of loops) assert.equal(await send({ to, headers }), automatic, JSON.stringify(headers))
    assert.equal(await send({ to, from: other.to }), automatic, 'an address of a flow')
    assert.equal(await send({ to, messageId: `<mal_${'0'.repeat(26)}.1@acme.example>` }), automatic, 'a mail of ours')
    assert.equal(await send({ to, from: 'MAILER-DAEMON@navy.example' }), automatic)
    assert.equal(await send({ to, envelopeFrom: '' }), '550 5.7.1 Mail without a sender is not accepted.')
    assert.equal(await send({ to, raw: 'Subject: x\r\n\r\nText\r\n' }), '550 5.7.1 From must have an address.')
    assert.deepEqual(await runs(flow), [])
    assert.equal(await send({ to, headers: { 'Auto-Submitted': 'no' } }), '250')
  })

  it('may hold anything: what cannot be read is refused, and the rest is text', async () => {
    const { flow, to } = await opened(intake())
    const hostile = '{{ mail.text }} <b> {"$expr": "1"}'
    const head = () => `From: grace@navy.example\r\nMessage-ID: <raw.${++messages}.${engine}@x>\r\n`
    const table: readonly (readonly [raw: string, answer: RegExp])[] = [
      [`${head()}Subject: x\r\n\ty ${'z'.repeat(5_000)}\r\n\r\nHello\r\n`, /^250$/],
      [`${head()}Subject: =?utf-8?B?${Buffer.from('a\0b\nc').toString('base64')}?=\r\n\r\n\u0000\u0007\r\n`, /^250$/],
      [`${head()}\r\n${hostile}\r\n`, /^250$/],
      [`${head()}\r\n\r\n`, /^250$/],
      [`${head()}X: ${'y'.repeat(300_000)}\r\n\r\nx\r\n`, /^554 5\.6\.0 /],
      [`${head()}\r\n${'long '.repeat(12_000)}\r\n`, /^552 5\.3\.4 The text is longer than 50000 characters\.$/],
    ]
    for (const [raw, answer] of table) assert.match(await send({ to, raw }), answer, raw.slice(-80))
    await drainRuns(world.services)
    const ended = await runs(flow)
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['succeeded', 'succeeded', 'succeeded', 'succeeded'],
    )
    const rows = (await reader().all(everything('automation_mails'), {})) as { run: string; mail: string }[]
    const mails = ended.map(({ id }) => JSON.parse(rows.find(({ run }) => run === id)?.mail ?? '{}'))
    assert.deepEqual(
      mails.map(({ subject, text }) => [subject.length, text]),
      [
        [200, 'Hello'],
        ['a b c'.length, '\u0007'.trim()],
        ['(no subject)'.length, hostile],
        ['(no subject)'.length, ''],
      ],
    )
  })

  it('to an unknown, replaced or foreign address, and to a flow without the trigger, gets the same answer', async () => {
    const { flow, to } = await opened(intake())
    const changed = `flow-${to[5] === '0' ? '1' : '0'}${to.slice(6)}`
    for (const other of [changed, to.replace(domain, 'evil.example'), `flow-@${domain}`, `flow@${domain}`, `x${to}`])
      assert.equal(await send({ to: other }), unknown, other)
    const replaced = await world.make(`/v1/automation_flows/${flow}/replace_mailbox`, {})
    assert.notEqual(replaced.address, to)
    assert.equal(await send({ to }), unknown)
    assert.equal(await send({ to: replaced.address }), '250')
    assert.equal((await runs(flow)).length, 1)
    await pause(flow)
    const graph = {
      ...intake(),
      nodes: [
        { id: 'received', type: 'trigger.webhook', config: {} },
        { id: 'file', type: 'task.create', config: { set: { title: 'x' } } },
      ],
    }
    assert.equal((await world.call('PATCH', `/v1/automation_flows/${flow}`, { body: { graph } })).status, 200)
    await reactivate(flow)
    assert.equal(await send({ to: replaced.address }), unknown)
  })

  it('waits with its sender while the flow is paused', async () => {
    const { flow, to } = await opened(intake())
    await pause(flow)
    assert.equal((await mailbox(flow)).is_open, false)
    const mail = { to, messageId: `<paused.${engine}@navy.example>` }
    assert.equal(await send(mail), '450 4.2.1 The address takes no mail at the moment. Try again later.')
    await reactivate(flow)
    assert.equal(await send(mail), '250')
    assert.equal((await runs(flow)).length, 1)
  })

  it('has an address that only those see who may manage the flow', async () => {
    const { flow } = await opened(intake())
    const own = await world.get(`/v1/automation_flows/${flow}/mailbox`)
    assert.match(String(own.headers['cache-control']), /no-store/)
    assert.equal((await world.get(`/v1/automation_flows/${flow}/mailbox`, { key: world.globex.key })).status, 404)
    const scopes = ['automations:read', 'tasks:read']
    const reading = (await world.make('/v1/api_keys', { name: 'Reads', scopes })).secret
    assert.equal((await world.get(`/v1/automation_flows/${flow}/mailbox`, { key: reading })).status, 403)
    const none = (await desk.draft(intake())).id
    assert.equal((await world.get(`/v1/automation_flows/${none}/mailbox`)).status, 404)
  })

  it('is counted per sender and minute, apart from credits, and starts none beyond', async () => {
    const { flow, to } = await opened(intake())
    world.clock.set(world.clock.now() + 60_000)
    const before = (await world.get('/v1/usage')).body
    const most = automation_limits.automation_mailbox_sender_minute_max
    const answers = []
    for (let i = 0; i <= most; i++)
      answers.push(await sendMail(receiver.port, { to, messageId: `<many.${i}.${engine}@navy.example>` }))
    assert.deepEqual(answers, [...Array(most).fill('250'), too_often])
    assert.equal((await runs(flow)).length, most)
    assert.equal((await world.get('/v1/usage')).body.plan_day.used - before.plan_day.used, 1)
    const from = 'ada@engine.example'
    assert.equal(await sendMail(receiver.port, { to, from, messageId: `<other.${engine}@x>` }), '250', 'another sender')
    assert.equal(await send({ to }), '250', 'the next minute')
  })

  it('of a sender on a day, and of all on a day, is bounded by counts that hold no address', async () => {
    const { flow, to } = await opened(intake({ when: 'false' }))
    const { id } = await mailbox(flow)
    assert.equal(await send({ to }), '250')
    const windows = (await reader().all(everything('credit_windows'), {})) as { subject: string }[]
    const sender = windows.map(({ subject }) => subject).find((subject) => subject.startsWith(`${id} `)) ?? ''
    assert.ok(sender !== '' && !JSON.stringify(windows).includes('grace'))
    const { automation_mailbox_day_max: most, automation_mailbox_sender_day_max: most_of_sender } = automation_limits
    for (const [subject, used] of [
      [sender, most_of_sender],
      [id, most],
    ] as const) {
      const use = async (count: number) =>
        await world.services.store.write('system', async (tx) => {
          tx.write(setUsed, { organization: world.acme.id, subject, used: count })
        })
      await use(used - 1)
      assert.deepEqual([await send({ to }), await send({ to })], ['250', too_often])
      await use(0)
    }
    assert.deepEqual(await runs(flow), [])
  })

  it('starts no run if the condition is not met, and waits with its sender when the flow takes no more', async () => {
    const { flow, to } = await opened(intake({ when: "mail.from.endsWith('@navy.example')" }, { max_runs_per_hour: 1 }))
    assert.equal(await send({ to, from: 'x@spam.example' }), '250')
    assert.deepEqual(await runs(flow), [])
    assert.equal(await send({ to }), '250')
    const late = { to, messageId: `<late.${engine}@navy.example>` }
    assert.equal(await send(late), too_often)
    world.clock.set(world.clock.now() + 3_600_000)
    assert.equal(await send(late), '250')
    assert.deepEqual(
      (await runs(flow)).map(({ status_reason }) => status_reason),
      [null, 'hourly_limit', null],
    )
  })

  it('is previewed with a sample without effect, with the latest mail by default, and with an invented one before', async () => {
    const { flow, to } = await opened(intake())
    const preview = async (more: object, id = flow) =>
      await world.call('POST', `/v1/automation_flows/${id}/preview`, {
        body: { workspace: desk.workspace, task: desk.task, ...more },
      })
    const titleOf = ({ body }: Awaited<ReturnType<typeof preview>>) => body.steps[0]?.changes[0]?.fields.title?.to
    assert.equal(titleOf(await preview({})), 'Subject')
    const sampled = await preview({ mail: { from: 'Ada@Engine.example', subject: ' From a sample ', text: 'x' } })
    assert.deepEqual([sampled.body.trigger.type, sampled.body.outcome], ['trigger.mail', 'succeeded'])
    assert.equal(titleOf(sampled), 'From a sample')
    assert.deepEqual(sampled.body.warnings, [])
    assert.equal(await send({ to }), '250')
    assert.equal(titleOf(await preview({})), 'The crane is stuck')
    const effects = (await world.get(`/v1/automation_flows/${flow}/effects`)).body
    assert.deepEqual([effects.runs, effects.succeeded, effects.tasks_created], [1, 1, 1])
    assert.equal((await runs(flow)).length, 1)
    for (const [wrong, param] of [
      [{ mail: { from: 'nobody' } }, 'mail.from'],
      [{ mail: { subject: 'two\nlines' } }, 'mail.subject'],
      [{ mail: { body: 'x' } }, 'mail.body'],
      [{ mail: {}, request: { body: {} } }, 'mail'],
    ] as const) {
      const refused = await preview(wrong)
      assert.deepEqual([refused.status, refused.body.error.param], [400, param], JSON.stringify(wrong))
    }
    const manual = await desk.draft({
      schema_version: 1,
      nodes: [
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        { id: 'done', type: 'task.complete', config: {} },
      ],
      edges: [{ source: 'by_hand', target: 'done' }],
    })
    const refused = await preview({ mail: {} }, manual.id)
    assert.deepEqual([refused.status, refused.body.error.param], [400, 'mail'])
  })

  it('is shown with the run to those who may read it, without credentials', async () => {
    const { flow, to } = await opened(intake())
    await send({ to, text: `My key is ${world.acme.key}` })
    const [run] = await runs(flow)
    const input = `/v1/automation_runs/${run?.id}/input?workspace=${desk.workspace}`
    const { body } = await world.get(input)
    assert.deepEqual([body.request, body.form, body.mail.from], [null, null, 'grace@navy.example'])
    assert.match(body.mail.text, /^My key is /)
    assert.ok(!JSON.stringify(body).includes(world.acme.key))
    assert.equal((await world.get(input, { key: world.globex.key })).status, 404)
  })

  it('leaves the secret of its address out of events, audit, mails and stored answers', async () => {
    const { flow, to } = await opened(intake())
    await send({ to })
    const { secret } = await world.make(`/v1/automation_flows/${flow}/replace_mailbox`, {})
    for (const table of ['events', 'audit_entries', 'automation_mails', 'idempotency'] as const) {
      const rows = JSON.stringify(await reader().all(everything(table), {}))
      assert.ok(!rows.includes(to.slice(5, 45)) && !rows.includes(secret), table)
    }
  })
})

onEveryEngine('a flow that mail starts, where no mail is received,', (engine) => {
  let world: World
  before(async () => {
    world = await openWorld(engine)
  })
  after(async () => world?.close())

  it('has no address, and its preview says why', async () => {
    const desk = await openDesk(world)
    const flow = (await desk.activate(intake())).id
    assert.equal((await world.get(`/v1/automation_flows/${flow}/mailbox`)).body.address, null)
    const { warnings } = await desk.preview(flow)
    assert.deepEqual(
      warnings.map(({ code, message }: { code: string; message: string }) => [code, message]),
      [['mail_unavailable', 'This installation receives no mail, so no mail starts the flow (ATRIUM_INBOUND_MAIL).']],
    )
  })
})
