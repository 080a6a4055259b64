/**
 * Internal steps of automations per second: runs of ten steps each (task updates, labels, comments, a condition, a loop), all
 * due at once. The server runs in this process.
 */
import { join } from 'node:path'
import { readConfig } from '../server/src/config.ts'
import { query } from '../server/src/db/query.ts'
import { type RunningServer, startServer } from '../server/src/main.ts'
import { startByHand } from '../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../server/src/workers/automations/runs.ts'
import { call } from '../server/test/call.ts'
import { install } from '../server/test/durability/installation.ts'
import { benchmark } from './command.ts'

const tasks_count = 250

const countSteps = query((db) =>
  db
    .selectFrom('automation_steps')
    .select((select) => select.fn.countAll().as('count'))
    .where('status', '=', 'succeeded'),
)
const countRuns = query((db) =>
  db
    .selectFrom('automation_runs')
    .select((select) => select.fn.countAll().as('count'))
    .where('status', '=', 'succeeded'),
)

const steps = [
  { id: 'urgent', type: 'condition', config: { expr: "task.priority != 'urgent' && size(task.labels) < 50" } },
  { id: 'change', type: 'task.update', config: { set: { title: { $template: '{{ task.key }} {{ run.id }}' } } } },
  { id: 'label', type: 'task.label', config: { add: ['seen'], remove: ['new'] } },
  { id: 'say', type: 'task.comment', config: { body: { $template: 'Seen: {{ task.title }}' } } },
  { id: 'each', type: 'for_each', config: { items: { $expr: '[1, 2, 3]' }, max_items: 3 } },
  { id: 'number', type: 'task.update', config: { set: { custom_fields: { round: { $expr: 'now' } } } } },
  { id: 'last', type: 'task.update', config: { set: { description: { $expr: 'run.id' } } } },
]
const inner = {
  id: 'set',
  type: 'task.update',
  parent: 'each',
  config: { set: { due_at: { $expr: 'now + item * 60' } } },
}
const ids = ['by_hand', ...steps.map(({ id }) => id)]
const graph = {
  schema_version: 1,
  nodes: [{ id: 'by_hand', type: 'trigger.manual', config: {} }, ...steps, inner],
  edges: steps.map(({ id }, i) => ({ source: ids[i], target: id })),
  settings: { max_runs_per_hour: 3600 },
}

/** Starts this many runs. */
async function arrange(server: RunningServer, key: string, runs: number): Promise<void> {
  const make = async (path: string, body: object) => {
    const reply = await call(server.url, 'POST', path, { key, body })
    if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`)
    return reply.body
  }
  const workspace = (await make('/v1/workspaces', { title: 'Bench' })).id
  const tasks: string[] = []
  while (tasks.length < tasks_count) {
    const data = Array.from({ length: 50 }, (_, i) => ({ title: `Task ${i}`, labels: ['new'] }))
    tasks.push(...(await make('/v1/tasks/batch', { workspace, data })).data.map(({ id }: { id: string }) => id))
  }
  const flow = (await make('/v1/automation_flows', { workspace, name: 'Bench', graph })).id
  const { preview_token } = await make(`/v1/automation_flows/${flow}/preview`, { workspace, task: tasks[0] })
  await make(`/v1/automation_flows/${flow}/activate`, { workspace, preview_token, scope_acknowledged: true })
  for (let i = 0; i < runs; i++) await startByHand(server.services, flow, tasks[i % tasks_count] as string)
}

await benchmark({
  name: 'automations',
  does: 'Internal steps of automations per second in one process.',
  engines: ['sqlite', 'postgres'],
  sizes: { runs: { full: 1000, quick: 100, means: 'runs of ten steps each' } },
  async run(stage, { runs }) {
    const { environment, key } = await install(await stage.newDatabase('automations'), join(stage.folder, 'data'))
    const server = await startServer(readConfig(environment))
    try {
      await arrange(server, key, runs)
      const began = performance.now()
      const cpu = process.cpuUsage()
      await stage.measured(() => drainRuns(server.services))
      const seconds = (performance.now() - began) / 1000
      const { user, system } = process.cpuUsage(cpu)
      const reader = server.services.store.reader('system')
      const done = Number((await reader.first(countSteps))?.count)
      const ended = Number((await reader.first(countRuns))?.count)
      if (ended !== runs) throw new Error(`${ended} of ${runs} runs succeeded`)
      const note = `${done} steps of ${ended} runs in ${seconds.toFixed(2)} s`
      return [
        { name: 'automations', value: done / seconds, unit: 'steps/s', goal: { at_least: 2000 }, note },
        { name: 'CPU time', value: (user + system) / done, unit: 'µs/step' },
      ]
    } finally {
      await server.close()
    }
  },
})
