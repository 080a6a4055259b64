/** Automations see the whole organization, so a guest has no part in them: neither as their authority, nor as a person who is asked. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { day_ms } from '../../src/lib/units.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { mailWorker } from '../../src/workers/mail.ts'
import { pushWorker } from '../../src/workers/push.ts'
import { type Desk, openDesk, smallGraph } from '../automations/desk.ts'
import { join, ownerOf, password, refusal, type Visitor } from '../console/visitor.ts'
import { onEveryEngine } from '../engines.ts'
import { fillInboxes } from '../inbox.ts'
import { MailServer } from '../mail-server.ts'
import { PushServer } from '../push-server.ts'
import { openWorld, type World } from '../world.ts'

onEveryEngine('a person who becomes a guest', (engine) => {
  let smtp: MailServer
  let service: PushServer
  let world: World
  let desk: Desk
  let owner: Visitor
  let people = 0

  before(async () => {
    smtp = await MailServer.open()
    service = await PushServer.open()
    const environment = { ATRIUM_SMTP_URL: smtp.url, ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>' }
    world = await openWorld(engine, { environment })
    desk = await openDesk(world)
    owner = await ownerOf(world)
  })
  after(async () => {
    await world.close()
    await service.close()
    await smtp.close()
  })

  /** A member with a key and a browser, and what makes the member a guest of the desk's project. */
  async function member() {
    const visitor = await join(owner, `person${++people}@client.example`, 'member')
    const { id } = (await visitor.arrive()).user
    await visitor.must('POST', 'push-subscriptions', service.subscribe(id))
    const { secret } = await world.key({ owner: { type: 'user', id } })
    const demote = () => owner.must('PATCH', `people/${id}`, { role: 'guest', projects: [desk.project] })
    await sent()
    return { id: id as string, key: secret, token: () => visitor.token(), demote }
  }
  /** What all people got by mail and in browsers. */
  async function sent() {
    await fillInboxes(world.services)
    const stop = new AbortController().signal
    for (const worker of [mailWorker, pushWorker])
      while ((await worker.run(world.services, worker.batch_max, stop)) > 0);
    return [...smtp.take().map(({ text }) => text), ...service.take().map(({ body }) => body)]
  }
  /** The flow runs on the desk's task, which is in the guest's project. */
  const carryOut = async (flow: string) => {
    const { id } = await startByHand(world.services, flow, desk.task)
    await drainRuns(world.services)
    return (await world.get(`/v1/automation_runs/${id}?workspace=${desk.workspace}`)).body
  }
  const comments = async () =>
    (await world.get(`/v1/tasks/${desk.task}/comments?limit=100`)).body.data.map(({ body }: { body: string }) => body)

  it('is no authority for flows any longer, whether a key or the console activated them; nothing is done in their name', async () => {
    const person = await member()
    for (const key of [person.key, await person.token()]) {
      const { id: flow } = await desk.activate(smallGraph(`By ${key.slice(0, 6)}`), { call: { key } })
      assert.equal((await carryOut(flow)).status, 'succeeded')
      const said = await comments()
      await person.demote()
      const run = await carryOut(flow)
      assert.deepEqual([run.status, run.failure?.code], ['failed', 'insufficient_scope'])
      assert.deepEqual(await comments(), said)
      await owner.must('PATCH', `people/${person.id}`, { role: 'member' })
      assert.equal((await carryOut(flow)).status, 'succeeded')
    }
  })

  it('cannot see, start, change or decide anything of automations, with any credential', async () => {
    const person = await member()
    const { id: flow } = await desk.activate(smallGraph(), { call: { key: person.key } })
    const { id: run } = await carryOut(flow)
    const token = await person.token()
    await person.demote()
    for (const key of [person.key, token]) {
      const body = { workspace: desk.workspace, task: desk.task }
      for (const reply of [
        await world.get('/v1/automation_flows', { key }),
        await world.get(`/v1/automation_flows/${flow}`, { key }),
        await world.get(`/v1/automation_runs/${run}`, { key }),
        await world.get('/v1/automation_approvals', { key }),
        await world.post(`/v1/automation_flows/${flow}/preview`, body, { key }),
        await world.post(`/v1/automation_flows/${flow}/pause`, body, { key }),
        await world.post(`/v1/automation_runs/${run}/cancel`, body, { key }),
        await world.post('/v1/automation_flows', { ...body, name: 'Mine', graph: smallGraph() }, { key }),
      ])
        assert.deepEqual(refusal(reply), [403, 'insufficient_scope'])
    }
    assert.equal((await world.get(`/v1/automation_flows/${flow}`)).body.status, 'active')
  })

  it('who was asked for an approval cannot decide, sees nothing of it in the inbox, and gets no mail and no notice about it', async () => {
    const [person, other] = [await member(), await member()]
    const nodes = [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'ask', type: 'approval.wait', config: { people: [person.id, other.id], text: 'May we buy Sesame?' } },
    ]
    const graph = { schema_version: 4, nodes, edges: [{ source: 'by_hand', target: 'ask' }] }
    const { id: flow } = await desk.activate(graph)
    const { id: run } = await startByHand(world.services, flow, desk.task)
    await drainRuns(world.services)
    await fillInboxes(world.services)
    const inbox = async (key: string) => (await world.get('/v1/notifications?limit=100', { key })).body.data
    const [entry] = await inbox(person.key)
    assert.equal(entry.excerpt, 'May we buy Sesame?')
    await person.demote()
    const decide = `/v1/automation_approvals/${entry.details.approval}/decide`
    for (const key of [person.key]) {
      const reply = await world.post(decide, { decision: 'approved' }, { key })
      assert.deepEqual(refusal(reply), [403, 'insufficient_scope'])
      assert.deepEqual(await inbox(key), [])
      assert.equal((await world.get('/v1/notifications/count', { key })).body.unread, 0)
      const never = await world.get('/v1/notifications/ntf_01ARZ3NDEKTSV4RRFFQ69G5FAV', { key })
      assert.equal(never.status, 404)
      const hidden = await world.get(`/v1/notifications/${entry.id}`, { key })
      assert.deepEqual([hidden.status, hidden.body.error.message], [404, never.body.error.message])
    }
    const words = await sent()
    assert.equal(words.length, 2, 'one mail and one notice, to the other person')
    assert.ok(words.every((text) => text.includes('Sesame')))
    await world.make(decide, { decision: 'approved' }, { key: other.key })
    await drainRuns(world.services)
    assert.equal((await world.get(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)).body.status, 'succeeded')
  })

  it('hears nothing of a flow that fails', async () => {
    // Digests of the other tests.
    world.clock.advance(day_ms)
    await sent()
    await owner.signIn('owner@acme.example', password)
    const person = await member()
    const { id: flow } = await desk.activate(smallGraph(), { call: { key: person.key } })
    await person.demote()
    assert.equal((await carryOut(flow)).status, 'failed')
    assert.deepEqual(await sent(), [])
    world.clock.advance(day_ms)
    assert.deepEqual(await sent(), [])
  })
})
