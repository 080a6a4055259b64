/**
 * What formulas may name has a value of the declared type in real runs: every path below the outputs of steps, the triggers and the items
 * of loops. And outputs have no field that is not declared, which validation would refuse.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type FormulaName, formulaNames } from '../../src/automations/formula-names.ts'
import { type SketchNode, sketchOf } from '../../src/automations/sketch.ts'
import { type Placeholder, query } from '../../src/db/query.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { automationEventsWorker } from '../../src/workers/automations/events.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { onEveryEngine } from '../engines.ts'
import { MailServer } from '../mail-server.ts'
import { answer, openReceiver, type Receiver } from '../receiver.ts'
import { openWorld, type World } from '../world.ts'
import { type Desk, openDesk } from './desk.ts'
import { chain, comment, type Node } from './graphs.ts'

const outputsOf = query((db, p: Placeholder<{ realm: number; run: string }>) =>
  db
    .selectFrom('automation_steps')
    .select(['node', 'output'])
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .orderBy('number'),
)

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  int: Number.isSafeInteger,
  bool: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

/** Whether a value is there, and of the type. */
function fits(value: unknown, type: string): boolean {
  if (type.startsWith('list')) return Array.isArray(value)
  if (type.startsWith('map')) return isOfType.object?.(value) === true
  return value !== undefined && (isOfType[type]?.(value) ?? true)
}

/** The names that a formula of the node may use, of those with the beginning. */
function namesAt(graph: { readonly nodes: readonly Node[] }, id: string, setting: string, begin: RegExp) {
  const sketch = sketchOf(graph)
  return formulaNames(sketch, sketch.byId.get(id) as SketchNode, setting).filter(({ name }) => begin.test(name))
}

onEveryEngine('a declared path', (engine) => {
  let world: World
  let desk: Desk
  let receiver: Receiver
  let smtp: MailServer
  before(async () => {
    smtp = await MailServer.open()
    receiver = await openReceiver()
    receiver.respond = answer(200, { 'content-type': 'application/json' }, '{"fine":true}')
    const mail = { ATRIUM_SMTP_URL: smtp.url, ATRIUM_MAIL_FROM: 'atrium@acme.example' }
    const ai = { ATRIUM_AI_PROVIDER: 'echo', ATRIUM_AI_BUDGET_MINOR_PER_DAY: '1000' }
    world = await openWorld(engine, { environment: { ...mail, ...ai } })
    desk = await openDesk(world)
    const { workspace, project } = desk
    for (const [from, to] of [
      [desk.id('task'), desk.id('other_task')],
      [desk.id('other_task'), (await world.make('/v1/tasks', { workspace, project, title: 'Later' })).id],
    ])
      await world.make(`/v1/tasks/${from}/dependencies`, { workspace, to, kind: 'blocks' })
  })
  after(async () => {
    await world?.close()
    await receiver?.close()
    await smtp?.close()
  })

  async function activate(graph: object): Promise<string> {
    const { id } = await desk.draft(graph)
    const { preview_token } = await desk.preview(id)
    const acknowledged = { scope_acknowledged: true, ai_cost_acknowledged: true }
    const body = { workspace: desk.workspace, preview_token, ...acknowledged }
    await world.make(`/v1/automation_flows/${id}/activate`, body)
    return id
  }

  /** A request whose body has the value of each name. */
  const probe = (id: string, names: readonly FormulaName[], more: object = {}): Node => ({
    ...{ id, type: 'http.request', ...more },
    config: {
      ...{ method: 'POST', url: receiver.url },
      body: Object.fromEntries(names.map(({ name }) => [name, { $expr: name }])),
    },
  })

  /** The names that lack a value of their type in what a probe has sent. */
  const lacking = (sent: object, names: readonly FormulaName[]) =>
    names.filter(({ name, type }) => !fits((sent as Record<string, unknown>)[name], type)).map(({ name }) => name)

  async function succeed(run: string): Promise<void> {
    const { status, failure } = (await world.get(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)).body
    assert.deepEqual({ status, failure }, { status: 'succeeded', failure: null })
  }

  it('has a value in each output of each type of step, and outputs have no other', async () => {
    const user = desk.id('user')
    const ask = { instructions: 'Look at it.', input: { title: { $expr: 'task.title' } }, max_output_tokens: 100 }
    const output_schema = { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] }
    const called = await activate({
      ...chain(comment('hello'), { id: 'end', type: 'stop', config: { outcome: 'succeeded', output: 1 } }),
      ...{ schema_version: 7 },
      nodes: [
        { id: 'by_hand', type: 'trigger.call', config: { takes_task: true } },
        comment('hello'),
        { id: 'end', type: 'stop', config: { outcome: 'succeeded', output: 1 } },
      ],
    })
    const set = { description: 'Seen' }
    const http = { method: 'POST', url: receiver.url, body: {} }
    const steps: readonly Node[] = [
      { id: 'condition', type: 'condition', config: { expr: 'true' } },
      { id: 'each', type: 'for_each', config: { items: { $expr: 'task.labels' }, max_items: 5 } },
      { id: 'delay', type: 'delay', config: { seconds: 1 } },
      { id: 'until', type: 'wait_until', config: { at: { $expr: 'now - 5' }, if_past: 'continue' } },
      { id: 'update', type: 'task.update', config: { set } },
      { id: 'move', type: 'task.move', config: { project: desk.project, column: desk.column } },
      { id: 'assign', type: 'task.assign', config: { assignee: user } },
      { id: 'label', type: 'task.label', config: { add: ['seen'] } },
      comment('comment'),
      { id: 'create', type: 'task.create', config: { set: { title: 'Made' } } },
      { id: 'from', type: 'task.create_from_template', config: { template: desk.id('template'), overrides: {} } },
      { id: 'many', type: 'task.create_many', config: { parent: '$subject', tasks: [{ title: 'Part' }] } },
      { id: 'all', type: 'task.update_many', config: { parent: '$subject', max_tasks: 5, set } },
      { id: 'up', type: 'task.update_parent', config: { task: { $expr: 'steps.many.output.tasks[0].id' }, set } },
      { id: 'depend', type: 'task.add_dependency', config: { to: desk.id('other_task'), kind: 'relates_to' } },
      { id: 'start', type: 'timer.start', config: { user } },
      { id: 'end', type: 'timer.stop', config: { user } },
      { id: 'json', type: 'http.request', config: { ...http, output: 'json' } },
      { id: 'text', type: 'http.request', config: { ...http, output: 'text' } },
      { id: 'status', type: 'http.request', config: http },
      { id: 'write', type: 'ai.step', config: { ...ask, operation: 'generate' } },
      { id: 'choose', type: 'ai.step', config: { ...ask, operation: 'classify', labels: ['Read', 'Write'] } },
      { id: 'take', type: 'ai.step', config: { ...ask, operation: 'extract', output_schema } },
      { id: 'call', type: 'flow.call', config: { flow: called } },
      { id: 'complete', type: 'task.complete', config: {} },
    ]
    const inside = { ...comment('inside'), parent: 'each' }
    const row = chain(...steps, comment('last'))
    const known = { ...row, schema_version: 8, nodes: [...row.nodes, inside] }
    const names = namesAt(known, 'last', 'body', /^steps\./)
    const leaves = names.filter(({ type }) => type !== 'object')
    const parts = [leaves.slice(0, 250), leaves.slice(250)].filter((part) => part.length > 0)
    const whole = chain(...steps, ...parts.map((part, i) => probe(`probe_${i}`, part)))
    receiver.events.length = 0
    const flow = await activate({ ...whole, schema_version: 8, nodes: [...whole.nodes, inside] })
    const { id } = await startByHand(world.services, flow, desk.task)
    for (let i = 0; i < 5; i++) {
      await drainRuns(world.services)
      world.clock.advance(60_000)
    }
    await succeed(id)
    const sent = Object.assign({}, ...receiver.events.map(({ event }) => event))
    assert.deepEqual(lacking(sent, leaves), [])

    const reader = world.services.store.reader('system')
    const rows = await reader.all(outputsOf, { realm: world.acme.realms.live, run: id })
    const declared = new Set(names.map(({ name }) => name))
    const open = names.filter(({ type }) => type !== 'object').map(({ name }) => name)
    const undeclared = rows
      .filter(({ node, output }) => output !== null && steps.some((step) => step.id === node))
      .flatMap(({ node, output }) => pathsOf(`steps.${node}.output`, JSON.parse(output as string), open))
      .filter((path) => !declared.has(path))
    assert.deepEqual(undeclared, [])
  })

  /** The paths to the fields of a value, but not below what is declared without fields. */
  function pathsOf(path: string, value: unknown, open: readonly string[]): string[] {
    if (open.includes(path) || !isOfType.object?.(value)) return [path]
    return Object.entries(value as object).flatMap(([name, each]) => pathsOf(`${path}.${name}`, each, open))
  }

  it('has a value for the event, its object before, the task and the run', async () => {
    const trigger = { event_types: ['workflow.task.updated'], changed_fields: ['description'] }
    const graphOf = (step: Node) => {
      const graph = chain(step)
      return { ...graph, nodes: [{ id: 'by_hand', type: 'trigger.event', config: trigger }, step] }
    }
    const names = namesAt(graphOf(comment('say')), 'say', 'body', /./)
    receiver.events.length = 0
    await activate(graphOf(probe('probe', names.slice(0, 450))))
    const path = `/v1/tasks/${desk.id('other_task')}`
    await world.call('PATCH', path, { body: { description: 'Changed', assignee: desk.id('user') } })
    await world.markWritten()
    while ((await automationEventsWorker.run(world.services, 100, new AbortController().signal)) > 0);
    await drainRuns(world.services)
    assert.equal(receiver.events.length, 1)
    assert.deepEqual(lacking(receiver.events[0]?.event, names), [])
    assert.ok(names.some(({ name }) => name === 'before.status') && names.some(({ name }) => name === 'task.teams'))
  })

  for (const [what, items, some] of [
    ['a loop over tasks that wait', 'task.blocks', 'item.open_blockers'],
    ['a loop over changed tasks', 'steps.all.output.tasks.filter(t, t.status != "done")', 'item.due_at'],
    ['a loop over labels', 'task.labels', 'item'],
  ] as const) {
    it(`has a value in ${what}`, async () => {
      const subject = desk.id('other_task')
      const each = { id: 'each', type: 'for_each', config: { items: { $expr: items }, max_items: 5 } }
      const all = {
        id: 'all',
        type: 'task.update_many',
        config: { query: 'title:Later', max_tasks: 5, set: { priority: 'high', labels: ['late'] } },
      }
      const graphOf = (step: Node) => {
        const graph = chain(all, { id: 'mark', type: 'task.label', config: { add: ['late'] } }, each)
        return { ...graph, schema_version: 8, nodes: [...graph.nodes, { ...step, parent: 'each' }] }
      }
      const names = namesAt(graphOf(comment('say')), 'say', 'body', /^(?:item|index)\b/)
      assert.ok(
        names.some(({ name }) => name === some),
        names.map(({ name }) => name).join(),
      )
      receiver.events.length = 0
      const { id } = await startByHand(world.services, await activate(graphOf(probe('probe', names))), subject)
      await drainRuns(world.services)
      await succeed(id)
      assert.ok(receiver.events.length > 0)
      for (const { event } of receiver.events) assert.deepEqual(lacking(event, names), [])
    })
  }

  it('has a value in each task that a step changes', async () => {
    const { workspace, project } = desk
    const label = `many ${engine}`
    const task = (await world.make('/v1/tasks', { workspace, project, title: 'One of many', labels: [label] })).id
    const many = (custom_fields: object): Node => ({
      id: 'all',
      type: 'task.update_many',
      config: { query: `labels:"${label}"`, max_tasks: 5, set: { custom_fields } },
    })
    const graphOf = (custom_fields: object) => ({ ...chain(many(custom_fields)), schema_version: 8 })
    const names = namesAt(graphOf({ v: 1 }), 'all', 'set.custom_fields.v', /^(?:item|index)\b/)
    assert.ok(names.some(({ name }) => name === 'item.parent'))
    const leaves = names.filter(({ name, type }) => type !== 'object' && name !== 'item.custom_fields')
    // A custom field takes no null: of what may be null, it is asked whether it is.
    const asked = (name: string, type: string) => (type === 'dyn' ? `${name} == null` : name)
    const values = Object.fromEntries(leaves.map(({ name, type }, i) => [`v${i}`, { $expr: asked(name, type) }]))
    const { id } = await startByHand(world.services, await activate(graphOf(values)), task)
    await drainRuns(world.services)
    await succeed(id)
    const { custom_fields } = (await world.get(`/v1/tasks/${task}`)).body
    const sent = Object.fromEntries(leaves.map(({ name }, i) => [name, custom_fields[`v${i}`]]))
    assert.deepEqual(lacking(sent, leaves), [])
  })
})
