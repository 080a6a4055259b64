/** Previews, activates and starts each ready-made flow like a user would, and checks its exact effects. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { writeSecret } from '../server/src/resources/automation_runs/secrets.ts'
import { startByHand } from '../server/src/resources/automation_runs/start-by-hand.ts'
import { addMember } from '../server/src/resources/members/write.ts'
import { receiveReplies } from '../server/src/workers/replies/receive.ts'
import { activate, type Office, openOffice, runsOf, settle } from '../server/test/automations/served.ts'
import { onEveryEngine } from '../server/test/engines.ts'
import { pageKeyOf, type Send, sendForm } from '../server/test/forms.ts'
import { openReceiver, type Receiver } from '../server/test/receiver.ts'
import { sendMail } from '../server/test/send-mail.ts'
import { openWorld, type World } from '../server/test/world.ts'

const folder = join(import.meta.dirname, 'flows')
const day_seconds = 86_400

function readFlow(name: string) {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
}

onEveryEngine('ready-made flows', (engine) => {
  let world: World
  let office: Office
  let ada: string

  before(async () => {
    const environment = {
      ATRIUM_SMTP_URL: 'smtp://127.0.0.1:9',
      ATRIUM_MAIL_FROM: 'atrium@acme.example',
      ATRIUM_INBOUND_MAIL: 'smtp://127.0.0.1:0?domain=in.acme.example',
    }
    world = await openWorld(engine, { environment })
    office = await openOffice(world)
    const person = { email: 'ada@acme.example', first_name: 'Ada', role: 'engineer' }
    ada = (await addMember(world.services, world.acme.id, person)).user
  })
  after(() => world.close())

  const now = () => Math.floor(world.clock.now() / 1000)

  async function task(fields: object = {}) {
    return await world.make('/v1/tasks', {
      workspace: office.workspace,
      project: office.project,
      title: 'Ship it',
      ...fields,
    })
  }

  async function change(id: string, fields: object): Promise<void> {
    const reply = await world.patch(`/v1/tasks/${id}`, { workspace: office.workspace, ...fields })
    assert.equal(reply.status, 200, reply.text)
  }

  async function comments(id: string): Promise<string[]> {
    return (await world.get(`/v1/tasks/${id}/comments`)).body.data.map((comment: { body: string }) => comment.body)
  }

  async function shown(id: string) {
    return (await world.get(`/v1/tasks/${id}`)).body
  }

  /** Activates a flow, calls `happen`, waits for all runs, and pauses the flow. Returns its runs. */
  async function during(name: string, happen: (flow: string) => Promise<void>) {
    const flow = await activate(world, office, readFlow(name), { name })
    await happen(flow.id)
    await settle(world.services)
    const runs = await runsOf(world, office, flow.id)
    await world.make(`/v1/automation_flows/${flow.id}/pause`, { workspace: office.workspace })
    return runs
  }

  test('escalate-overdue raises, labels and comments a day after the due date', async () => {
    const late = await task({ due_at: now() + 3600, priority: 'medium' })
    const urgent = await task({ due_at: now() + 3600, priority: 'urgent' })
    const done = await task({ due_at: now() + 3600 })
    const runs = await during('escalate-overdue', async () => {
      await change(done.id, { status: 'done' })
      world.clock.advance((3600 + day_seconds) * 1000)
    })
    assert.deepEqual(new Set(runs.map((run) => run.task)), new Set([late.id, urgent.id]))
    assert.deepEqual(
      runs.map((run) => run.status),
      ['succeeded', 'succeeded'],
    )
    const raised = await shown(late.id)
    assert.deepEqual([raised.priority, raised.labels], ['high', ['overdue']])
    assert.deepEqual((await shown(urgent.id)).labels, ['overdue'])
    assert.deepEqual(await comments(late.id), [
      `${late.key} was due a day ago and is still todo. Its priority is now high.`,
    ])
    assert.deepEqual(await comments(done.id), [])
  })

  test('triage-by-label sets the priority of a label, and keeps a priority that was set', async () => {
    const [security, bug, known, other] = [await task(), await task(), await task({ priority: 'low' }), await task()]
    const runs = await during('triage-by-label', async () => {
      await change(security.id, { labels: ['security'] })
      await change(bug.id, { labels: ['bug', 'ui'] })
      await change(known.id, { labels: ['bug'] })
      await change(other.id, { labels: ['ui'] })
      await change(other.id, { title: 'No label changes' })
    })
    assert.equal(runs.length, 4)
    const priorities = []
    for (const { id } of [security, bug, known, other]) priorities.push((await shown(id)).priority)
    assert.deepEqual(priorities, ['urgent', 'high', 'low', 'none'])
    assert.deepEqual(await comments(security.id), ['Marked as security: please keep details out of public places.'])
  })

  test('hand-over-on-review assigns the reviewer, and comments if the reviewer is unknown', async () => {
    const [named, unnamed, wrong] = [
      await task({ custom_fields: { reviewer: ada } }),
      await task(),
      await task({ custom_fields: { reviewer: 'usr_unknown' } }),
    ]
    const runs = await during('hand-over-on-review', async () => {
      for (const { id } of [named, unnamed, wrong]) await change(id, { status: 'in_review' })
    })
    assert.deepEqual(
      runs.map((run) => run.status),
      ['succeeded', 'succeeded', 'succeeded'],
    )
    assert.equal((await shown(named.id)).assignee, ada)
    assert.deepEqual(await comments(named.id), ['Handed over for review.'])
    const unknown = 'Ready for review, but the custom field reviewer does not name an active member.'
    assert.deepEqual([await comments(unnamed.id), await comments(wrong.id)], [[unknown], [unknown]])
  })

  test('tell-unblocked comments on a task when its last blocker is done', async () => {
    const [first, second, waits, free] = [await task(), await task(), await task({ assignee: ada }), await task()]
    const block = (from: string, to: string) =>
      world.make(`/v1/tasks/${from}/dependencies`, { workspace: office.workspace, to, kind: 'blocks' })
    await block(first.id, waits.id)
    await block(second.id, waits.id)
    await block(first.id, free.id)
    await during('tell-unblocked', async () => {
      await change(first.id, { status: 'done' })
      await settle(world.services)
      assert.deepEqual(await comments(waits.id), [])
      await change(second.id, { status: 'done' })
    })
    assert.deepEqual(await comments(free.id), [
      `${first.key} (Ship it) is done: ${free.key} is no longer blocked. It has no assignee yet.`,
    ])
    assert.deepEqual(await comments(waits.id), [
      `${second.key} (Ship it) is done: ${waits.key} is no longer blocked, [@assignee](atrium:${ada}).`,
    ])
  })

  test('remind-before-due reminds the assignee a day before, and skips unassigned tasks', async () => {
    const due_at = now() + 2 * day_seconds
    const [assigned, unassigned] = [await task({ due_at, assignee: ada }), await task({ due_at })]
    const runs = await during('remind-before-due', async () => {
      world.clock.advance(day_seconds * 1000)
    })
    assert.deepEqual(
      runs.map((run) => run.task),
      [assigned.id],
    )
    assert.deepEqual(await comments(assigned.id), [
      `[@assignee](atrium:${ada}): ${assigned.key} is due in a day and is todo.`,
    ])
    assert.deepEqual(await comments(unassigned.id), [])
  })

  test('post-to-chat posts a line for new, done and reopened tasks', async () => {
    const receiver: Receiver = await openReceiver()
    const secret = { name: 'team_chat', value: `${receiver.url}/hooks/atrium` }
    await writeSecret(world.services, { organization: world.acme.id, mode: 'live', ...secret })
    let key = ''
    try {
      await during('post-to-chat', async () => {
        const made = await task({ title: 'Café "ü"' })
        key = made.key
        await settle(world.services)
        await change(made.id, { status: 'done' })
        await settle(world.services)
        await change(made.id, { status: 'todo' })
      })
      assert.deepEqual(
        receiver.events.map(({ event }) => event),
        ['is new', 'is done', 'was reopened'].map((what) => ({ text: `${key} ${what}: Café "ü"` })),
      )
    } finally {
      await receiver.close()
    }
  })

  test('intake-by-mail files a task for a mail', async () => {
    const runs = await during('intake-by-mail', async (flow) => {
      const { address: to } = (await world.get(`/v1/automation_flows/${flow}/mailbox`)).body
      const receiver = await receiveReplies(world.services, '127.0.0.1', 0)
      try {
        const mail = { to, subject: 'urgent: no light', text: 'Since Monday.', messageId: '<1@navy.example>' }
        assert.deepEqual([await sendMail(receiver.port, mail), await sendMail(receiver.port, mail)], ['250', '250'])
      } finally {
        await receiver.close()
      }
    })
    assert.deepEqual(
      runs.map((run) => run.status),
      ['succeeded'],
    )
    const [made] = (await world.get(`/v1/tasks?workspace=${office.workspace}&limit=1`)).body.data
    assert.deepEqual(
      [made.title, made.description, made.priority, made.labels],
      ['urgent: no light', 'Since Monday.\n\nFrom grace@navy.example', 'high', ['intake']],
    )
  })

  test('intake-by-form files a task for the answers of its form', async () => {
    const runs = await during('intake-by-form', async (flow) => {
      const { url } = (await world.get(`/v1/automation_flows/${flow}/form`)).body
      const path = new URL(url).pathname
      const send: Send = (method, to, options) =>
        world.call(method, to, { key: null, idempotencyKey: null, ...options })
      const page = pageKeyOf(await send('GET', path))
      world.clock.advance(60_000)
      const answers = { title: 'A new chair', urgency: 'This week', needed: '2027-03-01', email: 'ada@example.com' }
      for (const reply of [await sendForm(send, path, page, answers), await sendForm(send, path, page, answers)]) {
        assert.deepEqual([reply.status, reply.headers.location], [303, '?sent'])
      }
    })
    assert.deepEqual(
      runs.map((run) => run.status),
      ['succeeded'],
    )
    const [made] = (await world.get(`/v1/tasks?workspace=${office.workspace}&limit=1`)).body.data
    assert.deepEqual(
      [made.title, made.description, made.priority, made.due_at, made.labels],
      ['A new chair', '\n\nFrom ada@example.com', 'high', Date.UTC(2027, 2, 1) / 1000, ['intake']],
    )
  })

  test('intake-by-webhook files a task for each request with a title, and asks the creator of urgent ones to look', async () => {
    const receipts: { status: number; body: { automation_run: string | null } }[] = []
    const runs = await during('intake-by-webhook', async (flow) => {
      const { url } = (await world.get(`/v1/automation_flows/${flow}/hook`)).body
      const send = async (body: object, id: string) => {
        const options = { key: null, idempotencyKey: null, body, headers: { 'webhook-id': id } }
        receipts.push(await world.call('POST', new URL(url).pathname, options))
      }
      await send({ title: 'The lamp is broken', description: 'Hall, left', priority: 'urgent' }, 'msg_1')
      await send({ title: 'The lamp is broken', description: 'Hall, left', priority: 'urgent' }, 'msg_1')
      await send({ title: 'A new chair' }, 'msg_2')
      await send({ note: 'nothing to do' }, 'msg_3')
    })
    assert.deepEqual(
      receipts.map(({ status }) => status),
      [202, 202, 202, 202],
    )
    assert.deepEqual(
      receipts.map(({ body }) => body.automation_run !== null),
      [true, true, true, false],
    )
    assert.deepEqual(
      runs.map((run) => run.status),
      ['succeeded', 'succeeded'],
    )
    const { data } = (await world.get(`/v1/tasks?workspace=${office.workspace}&limit=2`)).body
    // Runs that wait at the same time are in no order.
    const made = data.toSorted((a: { title: string }, b: { title: string }) => (a.title < b.title ? -1 : 1))
    assert.deepEqual(
      made.map(({ title, description, priority, labels }: Record<string, unknown>) => [
        title,
        description,
        priority,
        labels,
      ]),
      [
        ['A new chair', null, 'none', ['intake']],
        ['The lamp is broken', 'Hall, left', 'urgent', ['intake']],
      ],
    )
    assert.deepEqual(await comments(made[1].id), ['Reported as urgent. Please look at it today.'])
    assert.deepEqual(await comments(made[0].id), [])
  })

  test('plan-the-week creates a task on Monday at nine in Berlin', async () => {
    world.clock.set(Date.parse('2027-03-26T12:00:00Z'))
    const runs = await during('plan-the-week', async () => {
      // The clocks went forward on Sunday.
      world.clock.set(Date.parse('2027-03-29T06:59:59Z'))
      await settle(world.services)
      world.clock.set(Date.parse('2027-03-29T07:00:00Z'))
    })
    assert.deepEqual(
      runs.map((run) => [run.status, run.task]),
      [['succeeded', null]],
    )
    const [made] = (await world.get(`/v1/tasks?workspace=${office.workspace}&limit=1`)).body.data
    assert.deepEqual(
      [made.title, made.priority, made.due_at, made.creator],
      ['Plan the week', 'medium', now() + 8 * 3600, { type: 'automation', id: runs[0].automation_flow }],
    )
  })

  test('mark-stale asks once about tasks without changes for two weeks', async () => {
    const stale = await task({ status: 'in_progress' })
    world.clock.advance(10 * day_seconds * 1000)
    const fresh = await task({ status: 'in_progress' })
    await during('mark-stale', async () => {
      for (let i = 0; i < 7; i++) {
        world.clock.advance(day_seconds * 1000)
        await settle(world.services)
      }
    })
    assert.deepEqual((await shown(stale.id)).labels, ['stale'])
    assert.deepEqual(await comments(stale.id), [
      `Nothing happened here for two weeks. Is ${stale.key} still in progress?`,
    ])
    assert.deepEqual((await shown(fresh.id)).labels, [])
  })

  const subtasksOf = async (parent: string) =>
    (await world.get(`/v1/tasks?workspace=${office.workspace}&parent=${parent}`)).body.data.toReversed()

  test('release-subtasks creates the checklist of a release once, as subtasks in its project', async () => {
    const { id } = await task({ title: 'Atrium 7', assignee: ada })
    const runs = await during('release-subtasks', async () => {
      await change(id, { labels: ['release'] })
      await settle(world.services)
      await change(id, { labels: ['release', 'big'] })
    })
    assert.deepEqual(
      runs.map((run) => run.status),
      ['succeeded'],
    )
    const fields = (await subtasksOf(id)).map(({ title, priority, assignee, project }: Record<string, unknown>) => {
      return [title, priority, assignee, project]
    })
    assert.deepEqual(fields, [
      ['Freeze Atrium 7', 'high', null, office.project],
      ['Write the notes', 'none', ada, office.project],
      ['Announce it', 'none', null, office.project],
    ])
  })

  test('cancel-subtasks cancels the open subtasks of a canceled task, and no other', async () => {
    const { id, key } = await task()
    const [open, done] = [await task({ parent: id, description: 'Part.' }), await task({ parent: id, status: 'done' })]
    const other = await task()
    await during('cancel-subtasks', async () => change(id, { status: 'canceled' }))
    const states = []
    for (const each of [open, done, other]) states.push((await shown(each.id)).status)
    assert.deepEqual(states, ['canceled', 'done', 'todo'])
    assert.equal((await shown(open.id)).description, `Part.\n\nCanceled with ${key}.`)
  })

  test('start-parent sets the parent of a started subtask in progress', async () => {
    const { id } = await task()
    const part = await task({ parent: id })
    const runs = await during('start-parent', async () => change(part.id, { status: 'in_progress' }))
    assert.deepEqual(
      runs.map((run) => [run.status, run.task]),
      [['succeeded', part.id]],
    )
    assert.equal((await shown(id)).status, 'in_progress')
  })

  test('plan-when-called plans the task of the flow that calls it, and returns when the task is due', async () => {
    const { id } = await task()
    const due_at = now() + 3 * day_seconds
    const runs = await during('plan-when-called', async (flow) => {
      const graph = {
        schema_version: 7,
        nodes: [
          { id: 'by_hand', type: 'trigger.manual', config: {} },
          { id: 'plan', type: 'flow.call', config: { flow, inputs: { days: 3 } } },
          {
            id: 'say',
            type: 'task.comment',
            config: { body: { $template: 'Due at {{ steps.plan.output.output.due_at }}.' } },
          },
        ],
        edges: [
          { source: 'by_hand', target: 'plan' },
          { source: 'plan', target: 'say' },
        ],
      }
      const caller = await activate(world, office, graph, { name: 'Caller' })
      await startByHand(world.services, caller.id, id)
      await settle(world.services)
    })
    assert.deepEqual(
      runs.map((run) => [run.status, run.task]),
      [['succeeded', id]],
    )
    const planned = await shown(id)
    assert.deepEqual([planned.status, planned.due_at], ['todo', due_at])
    assert.deepEqual(await comments(id), [`Due at ${due_at}.`])
  })

  test('every flow of the folder is listed in its README and is tested here', () => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    const tests = readFileSync(import.meta.filename, 'utf8')
    for (const name of names) {
      assert.ok(readme.includes(`[${name}](${name})`), name)
      assert.ok(
        tests.includes(`during(\n        '${name.slice(0, -5)}'`) || tests.includes(`during('${name.slice(0, -5)}'`),
        name,
      )
    }
  })
})
