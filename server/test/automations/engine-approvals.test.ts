/** Runs that wait for a person: who is asked, who decides, once, and what ends the wait otherwise (contract/16#approvals). */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { addMember, setMember } from '../../src/resources/members/write.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { join, ownerOf, type Visitor } from '../console/visitor.ts'
import { fillInboxes } from '../inbox.ts'
import { onEveryWorld, openFirst, type World } from '../world.ts'
import { openDesk } from './desk.ts'
import { comment, type Node } from './graphs.ts'

interface Person {
  readonly member: string
  readonly user: string
  readonly key: string
}

onEveryWorld('an approval', (world) => {
  const desk = openFirst(() => openDesk(world))
  let owner: Visitor
  let ada: Person
  let ben: Person
  let cleo: Person

  before(async () => {
    owner = await ownerOf(world)
    ada = await person('ada.a')
    ben = await person('ben')
    cleo = await person('cleo')
  })

  async function person(name: string): Promise<Person> {
    const { id: member, user } = await addMember(world.services, world.acme.id, { email: `${name}@acme.example` })
    const owner = { type: 'user', id: user } as const
    return { member, user, key: (await world.key({ owner })).secret }
  }

  /** A flow that asks, and says by which port it went on. */
  function asking(config: object, ports: readonly string[] = ['approved', 'rejected']) {
    const nodes: Node[] = [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'ask', type: 'approval.wait', config: { people: [ada.user, ben.user], text: 'May we?', ...config } },
      ...ports.map((port) => comment(`went_${port}`)),
    ]
    const edges = [
      { source: 'by_hand', target: 'ask' },
      ...ports.map((port) => ({ source: 'ask', port, target: `went_${port}` })),
    ]
    return { schema_version: 4, nodes, edges }
  }

  const drain = () => drainRuns(world.services)
  const shown = async (run: string) => (await world.get(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)).body
  const approvalsOf = async (run: string) =>
    (await world.get(`/v1/automation_approvals?automation_run=${run}`)).body.data
  const ran = async (run: string) =>
    (await shown(run)).steps.flatMap(({ node, status }: { node: string; status: string }) =>
      status === 'skipped' ? [] : [node],
    )

  /** Starts a run that asks. Returns the ids of run and approval. */
  async function ask(graph: object = asking({}), task = desk.task) {
    const flow = (await desk.activate(graph)).id
    const run = (await startByHand(world.services, flow, task)).id
    await drain()
    const [approval] = await approvalsOf(run)
    return { flow, run, approval: approval?.id as string }
  }

  const decide = (approval: string, by: Person, decision = 'approved', more: object = {}) =>
    world.post(`/v1/automation_approvals/${approval}/decide`, { decision, ...more }, { key: by.key })

  it('asks by an event, lets the run sleep without a lease, and shows whom it asks', async () => {
    const flow = (await desk.activate(asking({ text: { $template: 'Ship {{ task.title }}?' } }))).id
    const run = (await startByHand(world.services, flow, desk.task)).id
    await world.markWritten()
    await drain()
    await world.assertWritten({
      events: ['automation.run.started', 'automation.approval.requested'],
      audit: ['automation_approvals.request'],
    })
    const { status, current_node, wake_at } = await shown(run)
    assert.deepEqual([status, current_node, wake_at], ['sleeping', 'ask', null])
    const [approval] = await approvalsOf(run)
    const { id, created, updated, revision, ...rest } = approval
    assert.deepEqual(rest, {
      object: 'automation_approval',
      workspace: desk.workspace,
      automation_flow: flow,
      automation_run: run,
      node: 'ask',
      path: [],
      task: desk.task,
      asked: [ada.user, ben.user],
      text: 'Ship Write it down?',
      status: 'pending',
      decided_by: null,
      comment: null,
      decided_at: null,
      expires_at: null,
    })
    assert.deepEqual((await world.get(`/v1/automation_approvals/${id}`)).body, approval)
    assert.equal(revision, 1)
    await drain()
    assert.equal((await shown(run)).status, 'sleeping')
  })

  const decided_events = {
    approved: { events: ['automation.approval.approved'], audit: ['automation_approvals.decide'] },
    rejected: { events: ['automation.approval.rejected'], audit: ['automation_approvals.decide'] },
  } as const

  for (const decision of ['approved', 'rejected'] as const) {
    it(`that is ${decision} lets the run go on by that port, and the journal says who decided and when`, async () => {
      const { run, approval } = await ask()
      await world.markWritten()
      const reply = await decide(approval, ben, decision, { comment: 'My reasons.' })
      const now = Math.floor(world.clock.now() / 1000)
      const { status, decided_by, comment, decided_at, revision } = reply.body
      assert.deepEqual(
        [reply.status, status, decided_by, comment, decided_at, revision],
        [200, decision, ben.user, 'My reasons.', now, 2],
      )
      await world.assertWritten(decided_events[decision])
      await drain()
      assert.deepEqual(await ran(run), ['ask', `went_${decision}`])
      const { status: ended, steps } = await shown(run)
      const [step] = steps
      assert.deepEqual([ended, step.status, step.port, step.attempts], ['succeeded', 'succeeded', decision, 1])
      const [requested, decided] = step.changes
      assert.deepEqual(
        [requested.type, requested.id, requested.fields.asked.to],
        ['automation.approval.requested', approval, [ada.user, ben.user]],
      )
      assert.deepEqual(
        [decided.type, decided.id, decided.fields],
        [
          `automation.approval.${decision}`,
          approval,
          {
            status: { from: 'pending', to: decision },
            decided_by: { from: null, to: ben.user },
            comment: { from: null, to: 'My reasons.' },
            decided_at: { from: null, to: now },
          },
        ],
      )
    })
  }

  it('gives later steps the decision, its author, its time and the comment', async () => {
    const graph = asking({}, ['approved'])
    const body = {
      $template:
        '{{ steps.ask.output.decision }} by {{ steps.ask.output.decided_by }} at {{ steps.ask.output.decided_at }}: {{ steps.ask.output.comment }}',
    }
    const { approval } = await ask({ ...graph, nodes: graph.nodes.with(2, comment('went_approved', body)) })
    await decide(approval, ada, 'approved', { comment: 'Yes' })
    await drain()
    const { data } = (await world.get(`/v1/tasks/${desk.task}/comments?workspace=${desk.workspace}`)).body
    assert.equal(data[0].body, `approved by ${ada.user} at ${Math.floor(world.clock.now() / 1000)}: Yes`)
  })

  it('is decided once: of two people at the same moment one decides, the other gets a conflict', async () => {
    const { run, approval } = await ask()
    const replies = await Promise.all([decide(approval, ada, 'approved'), decide(approval, ben, 'rejected')])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409])
    const won = replies.find(({ status }) => status === 200)?.body
    const lost = replies.find(({ status }) => status === 409)?.body
    assert.deepEqual(
      [lost.error.code, lost.error.message],
      ['resource_conflict', `The approval is already ${won.status}, by ${won.decided_by}.`],
    )
    await drain()
    await drain()
    assert.deepEqual(await ran(run), ['ask', `went_${won.status}`])
  })

  it('answers a repeated request with its first answer', async () => {
    const { run, approval } = await ask()
    const path = `/v1/automation_approvals/${approval}/decide`
    const options = { key: ada.key, idempotencyKey: 'decide-once' }
    const first = await world.post(path, { decision: 'approved' }, options)
    await drain()
    const again = await world.post(path, { decision: 'approved' }, options)
    assert.deepEqual([again.status, again.text], [200, first.text])
    assert.deepEqual(await ran(run), ['ask', 'went_approved'])
  })

  it('is decided by the people who were asked only: others get 403, and a foreign id is missing', async () => {
    const { approval } = await ask()
    const before = (await world.get(`/v1/automation_approvals/${approval}`)).text
    const refused = await decide(approval, cleo)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'insufficient_scope'])
    const byKey = await world.post(`/v1/automation_approvals/${approval}/decide`, { decision: 'approved' })
    assert.equal(byKey.status, 403)
    const foreign = await decide(approval, { ...ada, key: world.globex.key })
    const missing = await decide('apr_01K1QX6V0000000000000000AA', { ...ada, key: world.globex.key })
    assert.equal(foreign.status, 404)
    assert.equal(withoutRequest(foreign), withoutRequest(missing))
    assert.equal((await world.get(`/v1/automation_approvals/${approval}`)).text, before)
  })

  const withoutRequest = (reply: Awaited<ReturnType<World['get']>>) =>
    reply.text.replaceAll(String(reply.headers['x-request-id']), '')

  it('asks the person that an expression gives, leaves out nulls, and asks each person once', async () => {
    const mine = { workspace: desk.workspace, title: 'Mine', assignee: cleo.user }
    const task = (await world.make('/v1/tasks', mine)).id
    const people = [{ $expr: 'task.assignee' }, { $expr: 'task.parent' }, cleo.user, { $expr: 'task.assignee' }]
    const { run } = await ask(asking({ people }), task)
    assert.deepEqual((await approvalsOf(run))[0].asked, [cleo.user])
  })

  it('fails the run if no person can be asked: no person named, an inactive member, a guest', async () => {
    const guest = (await (await join(owner, 'gus@acme.example', 'guest', [desk.project])).arrive()).user.id as string
    for (const [person, message] of [
      ['', 'No person was named: an approval needs an active member who is no guest.'],
      [guest, `None of ${guest} can decide: an approval needs an active member who is no guest.`],
      [
        desk.id('inactive_user'),
        `None of ${desk.id('inactive_user')} can decide: an approval needs an active member who is no guest.`,
      ],
    ]) {
      const people = [{ $expr: person === '' ? 'task.parent' : `'${person}'` }]
      const flow = (await desk.activate(asking({ people }))).id
      const run = (await startByHand(world.services, flow, desk.task)).id
      await drain()
      const { status, failure } = await shown(run)
      assert.deepEqual([status, failure], ['failed', { code: 'no_approver', message, node: 'ask' }])
      assert.deepEqual(await approvalsOf(run), [])
    }
  })

  it('names in a graph only people who can decide', async () => {
    const guest = (await (await join(owner, 'gina@acme.example', 'guest', [desk.project])).arrive()).user.id as string
    for (const [people, param, message] of [
      [[guest], 'graph.nodes[1].config.people[0]', 'names a guest, who cannot decide on an approval.'],
      [[ada.user, desk.id('inactive_user')], 'graph.nodes[1].config.people[1]', 'names a member who is not active.'],
      [['usr_x'], 'graph.nodes[1].config.people[0]', 'names no user that can be used here.'],
    ] as const) {
      const graph = asking({ people })
      const reply = await world.post('/v1/automation_flows', { workspace: desk.workspace, name: 'Ask', graph })
      assert.deepEqual([reply.status, reply.body.error.param], [400, param])
      assert.equal(
        reply.body.error.details?.[0]?.message ?? reply.body.error.message,
        `The field \`${param}\` ${message}`,
      )
    }
  })

  it('lets a key of the organization decide if the API service user was asked', async () => {
    const service = await serviceUser()
    const { run, approval } = await ask(asking({ people: [service] }))
    const reply = await world.post(`/v1/automation_approvals/${approval}/decide`, { decision: 'rejected' })
    assert.deepEqual([reply.status, reply.body.decided_by], [200, service])
    await drain()
    assert.deepEqual(await ran(run), ['ask', 'went_rejected'])
  })

  const serviceUser = async () => {
    const body = { workspace: desk.workspace, body: 'By a key' }
    return (await world.make(`/v1/tasks/${desk.task}/comments`, body)).author.id as string
  }

  it('times out at its time and not before, and cannot be decided then', async () => {
    const ports = ['approved', 'rejected', 'timed_out']
    const { run, approval } = await ask(asking({ timeout_seconds: 3600 }, ports))
    const { wake_at } = await shown(run)
    assert.equal(wake_at, Math.floor(world.clock.now() / 1000) + 3600)
    world.clock.advance(3_599_000)
    await drain()
    assert.equal((await shown(run)).status, 'sleeping')
    world.clock.advance(1000)
    await world.markWritten()
    await drain()
    await world.assertWritten({
      events: ['workflow.comment.created', 'automation.approval.timed_out', 'automation.run.succeeded'].toSorted(
        byOrder,
      ),
      audit: ['automation_approvals.time_out', 'task_comments.create'],
    })
    assert.deepEqual(await ran(run), ['ask', 'went_timed_out'])
    const late = await decide(approval, ada)
    assert.deepEqual([late.status, late.body.error.message], [409, 'The approval has timed out.'])
  })

  /** The step's own event, then those of the steps behind it. */
  const order = ['automation.approval.timed_out', 'workflow.comment.created', 'automation.run.succeeded']
  const byOrder = (a: string, b: string) => order.indexOf(a) - order.indexOf(b)

  it('is canceled with its run, at once', async () => {
    const { run, approval } = await ask()
    await world.markWritten()
    await world.make(`/v1/automation_runs/${run}/cancel`, { workspace: desk.workspace })
    await world.assertWritten({
      events: ['automation.approval.canceled', 'automation.run.canceled'],
      audit: ['automation_runs.cancel'],
    })
    const late = await decide(approval, ada)
    assert.deepEqual(
      [late.status, late.body.error.message],
      [409, 'The approval was canceled: its run no longer waits for it.'],
    )
    await drain()
    assert.deepEqual(await ran(run), [])
  })

  it('is canceled when the run exceeds its own time', async () => {
    const { run, approval } = await ask({ ...asking({}), settings: { run_timeout_seconds: 60 } })
    world.clock.advance(60_000)
    await drain()
    assert.deepEqual([(await shown(run)).failure.code], ['run_timeout'])
    assert.equal((await world.get(`/v1/automation_approvals/${approval}`)).body.status, 'canceled')
  })

  it('goes on while the flow is paused, as a run that has begun does', async () => {
    const { flow, run, approval } = await ask()
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: desk.workspace })
    assert.equal((await decide(approval, ada)).status, 200)
    await drain()
    assert.deepEqual(await ran(run), ['ask', 'went_approved'])
  })

  it('ends when the last person who was asked is deactivated or becomes a guest, not before', async () => {
    const [dan, eve] = [await person('dan'), await (await join(owner, 'eve@acme.example', 'member')).arrive()]
    const { run, approval } = await ask(asking({ people: [dan.user, eve.user.id] }))
    await setMember(world.services, dan.member, { status: 'inactive' })
    await drain()
    assert.equal((await shown(run)).status, 'sleeping')
    await owner.must('PATCH', `people/${eve.user.id}`, { role: 'guest', projects: [desk.project] })
    await drain()
    const { status, failure } = await shown(run)
    assert.deepEqual([status, failure.code, failure.node], ['failed', 'no_approver', 'ask'])
    assert.equal((await world.get(`/v1/automation_approvals/${approval}`)).body.status, 'canceled')
  })

  it('in the body of a loop is asked once for each item', async () => {
    const nodes = [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'each', type: 'for_each', config: { items: { $expr: "['a', 'b']" }, max_items: 5 } },
      {
        id: 'ask',
        type: 'approval.wait',
        parent: 'each',
        config: { people: [ada.user], text: { $template: 'Item {{ item }}' } },
      },
    ]
    const { run, approval } = await ask({ schema_version: 4, nodes, edges: [{ source: 'by_hand', target: 'each' }] })
    await decide(approval, ada)
    await drain()
    const [second, first] = await approvalsOf(run)
    assert.deepEqual(
      [first.path, first.text, first.status, second.path, second.text, second.status],
      [[0], 'Item a', 'approved', [1], 'Item b', 'pending'],
    )
    await decide(second.id, ada, 'rejected')
    await drain()
    const { status, steps } = await shown(run)
    assert.equal(status, 'succeeded')
    assert.deepEqual(
      steps.map(({ node, path, port }: { node: string; path: number[]; port: string | null }) => [node, path, port]),
      [
        ['each', [], null],
        ['ask', [0], 'approved'],
        ['ask', [1], 'rejected'],
      ],
    )
  })

  it('in shadow mode asks no person, and the run goes on as if it were approved', async () => {
    const flow = (await desk.activate(asking({}), { mode: 'shadow' })).id
    const run = (await startByHand(world.services, flow, desk.task)).id
    await drain()
    const { status, steps } = await shown(run)
    assert.deepEqual(
      [status, steps[0].port, steps[0].reason, steps[0].changes[0].type],
      ['succeeded', 'approved', 'shadow', 'automation.approval.requested'],
    )
    assert.deepEqual(await approvalsOf(run), [])
  })

  it('reaches the inbox of each person who is asked, says how it ended, and is then read for all', async () => {
    const { flow, run, approval } = await ask(asking({ text: 'May we order sails?' }))
    await fillInboxes(world.services)
    const entryOf = async ({ key }: Person) => (await world.get(`/v1/notifications?subject=${run}`, { key })).body.data
    const [entry] = await entryOf(ada)
    const { kind, subject, title, excerpt, details, read_at } = entry
    assert.deepEqual(
      [kind, subject, title, excerpt, details, read_at],
      [
        'approval',
        { object: 'automation_run', id: run },
        'A flow',
        'May we order sails?',
        { automation_flow: flow, task: desk.task, approval },
        null,
      ],
    )
    assert.deepEqual(await entryOf(cleo), [])
    await decide(approval, ben, 'rejected')
    await fillInboxes(world.services)
    for (const one of [ada, ben]) {
      const [ended] = await entryOf(one)
      assert.deepEqual(
        [ended.details.status, ended.details.decided_by, ended.read_at !== null],
        ['rejected', ben.user, true],
      )
    }
  })

  it('is shown by a preview, which asks no person and follows the port that it is given', async () => {
    const { id } = await desk.draft(asking({ timeout_seconds: 60 }, ['approved', 'rejected', 'timed_out']))
    const preview = (more: object = {}) =>
      world.post(`/v1/automation_flows/${id}/preview`, { workspace: desk.workspace, task: desk.task, ...more })
    const went = async (more: object) => {
      const { steps, outcome } = (await preview(more)).body
      assert.equal(outcome, 'succeeded')
      assert.deepEqual([steps[0].status, steps[0].changes[0].fields.asked.to], ['would_wait', [ada.user, ben.user]])
      return steps.flatMap((step: { node: string; status: string }) => (step.status === 'would_run' ? [step.node] : []))
    }
    await world.markWritten()
    assert.deepEqual(await went({}), ['went_approved'])
    for (const port of ['approved', 'rejected', 'timed_out'])
      assert.deepEqual(await went({ decisions: { ask: port } }), [`went_${port}`])
    await world.assertWritten({ events: [], audit: Array(4).fill('automation_flows.preview') })
    assert.deepEqual(
      (await world.get('/v1/automation_approvals?status=pending&limit=100')).body.data.filter(of(id)),
      [],
    )
  })

  const of = (flow: string) => (approval: { automation_flow: string }) => approval.automation_flow === flow

  it('is previewed only by ports that it has', async () => {
    const { id } = await desk.draft(asking({}))
    for (const [decisions, param, message] of [
      [
        { by_hand: 'approved' },
        'decisions.by_hand',
        'The field `decisions.by_hand` names no approval.wait of the flow.',
      ],
      [
        { ask: 'timed_out' },
        'decisions.ask',
        'The field `decisions.ask` cannot be "timed_out". Use one of approved, rejected: the step has no timeout_seconds.',
      ],
    ] as const) {
      const body = { workspace: desk.workspace, task: desk.task, decisions }
      const { status, body: answer } = await world.post(`/v1/automation_flows/${id}/preview`, body)
      assert.deepEqual([status, answer.error.param, answer.error.message], [400, param, message])
    }
  })
})
