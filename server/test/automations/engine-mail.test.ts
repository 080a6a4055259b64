/** Mails of mail.send steps: to people of the organization only, once for each, by the worker that sends all mail (contract/16#mail). */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { no_preferences, preferencesOf, storePreferences } from '../../src/notifications/preferences.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { addMember } from '../../src/resources/members/write.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { mailWorker } from '../../src/workers/mail.ts'
import { join, ownerOf } from '../console/visitor.ts'
import { onEveryEngine } from '../engines.ts'
import { MailServer } from '../mail-server.ts'
import { openWorld, type World } from '../world.ts'
import { type Desk, openDesk } from './desk.ts'
import { chain, comment, type Node } from './graphs.ts'

onEveryEngine('a mail.send step', (engine) => {
  let smtp: MailServer
  let world: World
  let desk: Desk
  const people = { eve: '', fred: '', gus: '', hal: '' }

  before(async () => {
    smtp = await MailServer.open()
    const environment = { ATRIUM_SMTP_URL: smtp.url, ATRIUM_MAIL_FROM: 'atrium@acme.example' }
    world = await openWorld(engine, { environment })
    desk = await openDesk(world)
    const owner = await ownerOf(world)
    const arrive = async (name: string, role: 'member' | 'guest') =>
      (await (await join(owner, `${name}@acme.example`, role, role === 'guest' ? [desk.project] : undefined)).arrive())
        .user.id as string
    people.eve = await arrive('eve', 'member')
    people.fred = await arrive('fred', 'member')
    people.gus = await arrive('gus', 'guest')
    people.hal = (await addMember(world.services, world.acme.id, { email: 'hal@acme.example' })).user
    await send()
  })
  after(async () => {
    await world?.close()
    await smtp?.close()
  })
  beforeEach(() => {
    smtp.received.length = 0
  })

  const send = async () => {
    while ((await mailWorker.run(world.services, 50, new AbortController().signal)) > 0);
  }
  const mail = (config: object = {}, more: object = {}) => ({
    id: 'mail',
    type: 'mail.send',
    config: { to: [people.eve], subject: 'News', text: 'Hello', ...config },
    ...more,
  })
  const flowOf = (...steps: readonly Node[]) => ({ ...chain(...steps), schema_version: 4 })
  const shown = async (run: string) => (await world.get(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)).body

  async function carryOut(graph: object, mode: 'live' | 'shadow' = 'live'): Promise<string> {
    const flow = (await desk.activate(graph, { mode })).id
    const run = (await startByHand(world.services, flow, desk.task)).id
    await drainRuns(world.services)
    await send()
    return run
  }

  it('sends one mail to each person at the address of the account, says which automation sends it, and journals it', async () => {
    await world.markWritten()
    const text = { $template: 'See {{ task.title }}, [@Ada](atrium:usr_01K1QX6V0000000000000000AA)' }
    const run = await carryOut(flowOf(mail({ to: [people.eve, people.fred, { $expr: 'task.assignee' }], text })))
    const sent = smtp.received.map(({ to, headers, text }) => [to, headers.get('subject'), text.split('\n')[0]?.trim()])
    assert.deepEqual(sent.sort(), [
      [['eve@acme.example'], 'News', 'See Write it down, @Ada'],
      [['fred@acme.example'], 'News', 'See Write it down, @Ada'],
    ])
    assert.match(smtp.received[0]?.raw ?? '', /sends this mail/)
    const { status, steps } = await shown(run)
    assert.equal(status, 'succeeded')
    const fields = {
      subject: { from: null, to: 'News' },
      text: { from: null, to: 'See Write it down, @Ada' },
    }
    const change = { type: 'automation.mail.sent', object: 'user', fields }
    assert.deepEqual(steps[0].changes, [
      { ...change, id: people.eve },
      { ...change, id: people.fred },
    ])
    const { data } = (await world.get('/v1/audit_logs?limit=1')).body
    assert.deepEqual([data[0].action, data[0].reason], ['automation_flows.mail', `Run ${run}, node mail.`])
  })

  it('writes a subject in one line, whatever a title contains', async () => {
    const subject = { $template: "{{ 'A\\r\\nBcc: spy@evil.example\\r\\n\\r\\nB' }}" }
    await carryOut(flowOf(mail({ subject })))
    const [received] = smtp.received
    assert.equal(received?.headers.get('subject'), 'A Bcc: spy@evil.example B')
    assert.deepEqual([received?.to, received?.headers.has('bcc')], [['eve@acme.example'], false])
  })

  it('goes to no guest and no person without an account, and fails if no recipient is left', async () => {
    const run = await carryOut(flowOf(mail({ to: [people.gus, people.hal, people.eve] })))
    assert.deepEqual(
      smtp.received.map(({ to }) => to[0]),
      ['eve@acme.example'],
    )
    assert.deepEqual(
      (await shown(run)).steps[0].changes.map(({ id }: { id: string }) => id),
      [people.eve],
    )
    const failed = await carryOut(flowOf(mail({ to: [people.gus, { $expr: 'task.assignee' }] })))
    assert.deepEqual((await shown(failed)).failure, {
      code: 'no_recipient',
      message: `None of ${people.gus} can be reached: a mail goes to active members who have an account and are no guests.`,
      node: 'mail',
    })
  })

  const choose = (user: string, chosen: object) =>
    world.services.store.write('system', async (tx) => {
      const place = { organization: world.acme.id, user, now: world.clock.now() }
      storePreferences(tx, place, { ...no_preferences, ...chosen })
    })

  it('waits for the end of the quiet hours of each person, and is then sent once', async () => {
    const minute = Math.floor((world.clock.now() / 60_000) % 1440)
    await choose(people.eve, { time_zone: 'UTC', quiet_from: minute, quiet_to: (minute + 60) % 1440 })
    const run = await carryOut(flowOf(mail({ to: [people.eve, people.fred] })))
    assert.deepEqual(
      smtp.received.map(({ to }) => to),
      [['fred@acme.example']],
    )
    assert.equal((await shown(run)).status, 'succeeded')
    world.clock.advance(3_600_000)
    await send()
    await send()
    assert.deepEqual(
      smtp.received.map(({ to }) => to),
      [['fred@acme.example'], ['eve@acme.example']],
    )
    await choose(people.eve, {})
  })

  it('leaves out a person who takes no mail of automations, and does not fail for it, not even alone', async () => {
    await choose(people.eve, { mail: { automation_mail: 'never' } })
    const output = comment('say', { $template: 'Mailed {{ size(steps.mail.output.recipients) }}' })
    const one = await shown(await carryOut(flowOf(mail({ to: [people.eve, people.fred] }), output)))
    assert.deepEqual(
      smtp.received.map(({ to }) => to),
      [['fred@acme.example']],
    )
    assert.deepEqual(
      [one.status, one.steps[0].changes.map(({ id }: { id: string }) => id)],
      ['succeeded', [people.fred]],
    )
    const none = await shown(await carryOut(flowOf(mail(), output)))
    assert.deepEqual([none.status, none.steps[0].changes, smtp.received.length], ['succeeded', [], 1])
    const { data } = (await world.get(`/v1/tasks/${desk.task}/comments`)).body
    assert.deepEqual(
      data.slice(0, 2).map(({ body }: { body: string }) => body),
      ['Mailed 0', 'Mailed 1'],
    )
    await choose(people.eve, {})
  })

  it('has a link that ends mail of automations without signing in, also mail that waits; other mail stays', async () => {
    await carryOut(flowOf(mail()))
    const [first] = smtp.received
    const [, url = ''] = /<([^>]+)>/.exec(first?.headers.get('list-unsubscribe') ?? '') ?? []
    assert.ok(first?.text.replaceAll('\r\n', '').includes(url), 'the mail says the link')
    assert.equal(first?.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
    const run = (await startByHand(world.services, (await desk.activate(flowOf(mail()))).id, desk.task)).id
    await drainRuns(world.services)
    const { pathname, search } = new URL(url)
    const ended = await world.call('POST', `${pathname}${search}`, { key: null, idempotencyKey: null })
    assert.equal(ended.status, 200)
    await send()
    assert.deepEqual([smtp.received.length, (await shown(run)).status], [1, 'succeeded'])
    const { mail: chosen } = await preferencesOf(
      ...([world.services.store.reader('system'), world.acme.id, people.eve] as const),
    )
    assert.deepEqual(chosen, { automation_mail: 'never' })
    await choose(people.eve, {})
  })

  it('gives later steps its recipients', async () => {
    const body = { $template: '{{ steps.mail.output.recipients[0] }}' }
    const run = await carryOut(flowOf(mail(), comment('say', body)))
    const { steps } = await shown(run)
    assert.equal(steps[1].changes[0].fields.body.to, people.eve)
  })

  it('is sent neither by a preview nor in shadow mode, which show the same mail as a run that sends it', async () => {
    const graph = flowOf(mail({ to: [people.eve, people.fred] }))
    const { id } = await desk.draft(graph)
    const { steps } = await desk.preview(id)
    const run = await carryOut(graph, 'shadow')
    assert.deepEqual([smtp.received.length, steps[0].status, steps[0].changes.length], [0, 'would_run', 2])
    const shadowed = (await shown(run)).steps[0]
    assert.deepEqual([shadowed.reason, shadowed.changes], ['shadow', steps[0].changes])
    assert.deepEqual((await shown(await carryOut(graph))).steps[0].changes, steps[0].changes)
  })

  it('is not sent with test data, and only journaled', async () => {
    const call = { key: world.acme.testKey }
    const workspace = (await world.make('/v1/workspaces', { title: 'Tests' }, call)).id
    const task = (await world.make('/v1/tasks', { workspace, title: 'Try it' }, call)).id
    const flow = (await world.make('/v1/automation_flows', { workspace, name: 'Mail', graph: flowOf(mail()) }, call)).id
    const { preview_token } = await world.make(`/v1/automation_flows/${flow}/preview`, { workspace, task }, call)
    const body = { workspace, preview_token, scope_acknowledged: true }
    await world.make(`/v1/automation_flows/${flow}/activate`, body, call)
    const run = (await startByHand(world.services, flow, task)).id
    await drainRuns(world.services)
    await send()
    const { status, steps } = (await world.get(`/v1/automation_runs/${run}?workspace=${workspace}`, call)).body
    assert.deepEqual([status, steps[0].changes.length, smtp.received.length], ['succeeded', 1, 0])
  })

  it('fails on an installation that sends no mail, and can branch then', async () => {
    const mute = await openWorld(engine)
    try {
      const there = await openDesk(mute)
      const graph = {
        schema_version: 4,
        nodes: [
          { id: 'by_hand', type: 'trigger.manual', config: {} },
          mail({ to: [there.id('user')] }, { on_error: 'branch' }),
          comment('instead'),
        ],
        edges: [
          { source: 'by_hand', target: 'mail' },
          { source: 'mail', port: 'error', target: 'instead' },
        ],
      }
      const flow = await there.draft(graph)
      const preview = await there.preview(flow.id)
      assert.equal(
        preview.steps[0].reason,
        'Would fail (mail_not_configured): This installation sends no mail: ATRIUM_SMTP_URL is not set.',
      )
      const run = (await startByHand(mute.services, (await there.activate(graph)).id, there.task)).id
      await drainRuns(mute.services)
      const { status, steps } = (await mute.get(`/v1/automation_runs/${run}?workspace=${there.workspace}`)).body
      assert.deepEqual(
        [status, steps[0].failure.code, steps[1].node, steps[1].status],
        ['succeeded', 'mail_not_configured', 'instead', 'succeeded'],
      )
    } finally {
      await mute.close()
    }
  })
})
