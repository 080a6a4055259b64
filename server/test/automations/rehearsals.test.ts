/** Rehearsals: they show what a run does, and mark what cannot be known as unknown. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Placeholder, query } from '../../src/db/query.ts'
import type { Rehearsal } from '../../src/resources/automation_runs/shared/rehearse.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { openDesk } from './desk.ts'
import { type Chain, chain, comment, delay } from './graphs.ts'

const counts = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('event_heads')
    .select('sequence')
    .select((select) => [
      select
        .selectFrom('tasks')
        .select((of) => of.fn.countAll().as('count'))
        .as('tasks'),
      select
        .selectFrom('comments')
        .select((of) => of.fn.countAll().as('count'))
        .as('comments'),
      select
        .selectFrom('automation_runs')
        .select((of) => of.fn.countAll().as('count'))
        .as('runs'),
    ])
    .where('realm', '=', p('realm')),
)

onEveryWorld('the rehearsal of a flow', (world) => {
  const desk = openFirst(() => openDesk(world))

  const steps = async (graph: Chain): Promise<Rehearsal['steps']> => {
    const { id } = await desk.draft(graph)
    return (await desk.preview(id)).steps
  }
  const stepStates = (rehearsed: Rehearsal['steps']) => rehearsed.map(({ node, status }) => `${node} ${status}`)

  /** A loop with a condition and with failures that it continues after. */
  function rich(): Chain {
    const graph = chain(
      {
        id: 'each',
        type: 'for_each',
        config: { items: { $expr: "['a', 'b', 'c']" }, max_items: 3, on_item_error: 'continue' },
      },
      { id: 'change', type: 'task.update', config: { set: { title: { $template: '{{ task.title }}!' } } } },
      comment('end', { $template: '{{ task.title }} {{ size(task.labels) }}' }),
    )
    graph.nodes.push(
      { id: 'second', type: 'condition', parent: 'each', config: { expr: "item == 'b'" } },
      { id: 'broken', type: 'task.move', parent: 'each', config: { project: { $expr: "'prj_none'" } } },
      { id: 'label', type: 'task.label', parent: 'each', config: { add: [{ $expr: 'item' }] } },
      { id: 'never', type: 'task.complete', parent: 'each', config: {} },
    )
    graph.edges.push(
      { source: 'second', port: 'true', target: 'broken' },
      { source: 'second', port: 'false', target: 'label' },
      { source: 'broken', target: 'never' },
    )
    return graph
  }

  it('shows the changes that the run then makes, one by one', async () => {
    const rehearsed = await steps(rich())
    const flow = (await desk.activate(rich())).id
    const { id } = await startByHand(world.services, flow, desk.task)
    await drainRuns(world.services)
    const run = (await world.get(`/v1/automation_runs/${id}?workspace=${desk.workspace}`)).body
    assert.equal(run.status, 'succeeded')
    /** Everything except the ids of new objects and of the flow. */
    const same = (made: Pick<Rehearsal['steps'][0], 'node' | 'path' | 'changes'>[]) =>
      made.map(({ node, path, changes }) => [
        node,
        path,
        changes.map(({ type, object, fields: { author: _, ...fields } }) => [type, object, fields]),
      ])
    assert.deepEqual(same([...rehearsed]), same(run.steps))
    const done = rehearsed.map(({ status }) => status !== 'would_skip')
    assert.deepEqual(
      done,
      run.steps.map(({ status }: { status: string }) => status !== 'skipped'),
    )
    assert.match(
      rehearsed.find(({ node, reason }) => node === 'broken' && reason !== null)?.reason ?? '',
      /^Would fail \(invalid_request_body\)/,
    )
  })

  it('changes nothing', async () => {
    const { id } = await desk.draft(rich())
    const reader = world.services.store.reader('system')
    const { live: realm } = world.acme.realms
    const before = await reader.first(counts, { realm })
    const subject = (await world.get(`/v1/tasks/${desk.task}`)).text
    await desk.preview(id)
    assert.deepEqual(await reader.first(counts, { realm }), before)
    assert.equal((await world.get(`/v1/tasks/${desk.task}`)).text, subject)
  })

  it('neither waits nor calls, and shows what it would send', async () => {
    const url = 'https://example.com/hook'
    const rehearsed = await steps(
      chain(delay('nap', 3600), {
        id: 'call',
        type: 'http.request',
        config: { method: 'POST', url, secret: 'hook_key', body: { task: { $expr: 'task.key' } } },
      }),
    )
    assert.deepEqual(stepStates(rehearsed), ['nap would_wait', 'call would_run'])
    const at = new Date(world.clock.now() + 3_600_000).toISOString()
    const { key } = (await world.get(`/v1/tasks/${desk.task}`)).body
    assert.deepEqual(
      rehearsed.map(({ reason }) => reason),
      [`Until ${at}.`, `Would send POST ${url} with the secret hook_key {"task":"${key}"}`],
    )
  })

  it('marks steps that depend on an answer as unknown, and executes the others', async () => {
    const call = (id: string) => ({
      id,
      type: 'http.request',
      on_error: 'branch',
      config: { method: 'POST', url: 'https://example.com/hook', output: 'json' },
    })
    const graph = chain(
      call('ask'),
      { id: 'yes', type: 'condition', config: { expr: 'steps.ask.output.body.yes == true' } },
      comment('agreed'),
      comment('quote', { $template: 'It said {{ steps.ask.output.body }}' }),
      comment('plain'),
    )
    graph.nodes.push(comment('lost'))
    graph.edges.push({ source: 'ask', port: 'error', target: 'lost' }, { source: 'by_hand', target: 'quote' })
    const rehearsed = await steps(graph)
    const status = Object.fromEntries(rehearsed.map(({ node, status }) => [node, status]))
    assert.deepEqual(status, {
      ask: 'would_run',
      yes: 'unknown',
      agreed: 'unknown',
      quote: 'unknown',
      plain: 'would_run',
      lost: 'unknown',
    })
    const reason = (id: string) => rehearsed.find(({ node }) => node === id)?.reason
    assert.equal(reason('yes'), 'It uses the output of ask, which is unknown before a run.')
    assert.equal(reason('agreed'), 'The port that yes takes is unknown.')
    assert.equal(reason('lost'), 'Only if ask fails.')
  })
})
