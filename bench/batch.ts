/** Tasks created per second through `POST /v1/tasks/batch`, a hundred per request: `npm run bench:batch`. */
import { join } from 'node:path'
import { limits } from '../server/src/api/limits.ts'
import { benchmark } from './command.ts'
import { measure, type Sample, warmUp } from './measure.ts'
import { median } from './report.ts'
import { writeTarget } from './target.ts'

const goal_per_second = 25_000

await benchmark({
  name: 'batch',
  does: 'Tasks created per second in batches of 100, with all rules and durable commits.',
  engines: ['sqlite', 'postgres'],
  needs: ['wrk'],
  sizes: {
    tasks: { full: 100_000, quick: 2_000, means: 'existing tasks' },
    connections: { full: 8, quick: 8, means: 'connections that send batches' },
    rounds: { full: 5, quick: 1, means: 'rounds' },
    seconds: { full: 5, quick: 2, means: 'seconds per round' },
  },
  async run(stage, { tasks, connections, rounds, seconds }) {
    const url = await stage.newDatabase('batch')
    const seeded = await stage.product.seed(url, { tasks })
    await stage.settle(url)
    const server = await stage.start(url)
    const folder = join(stage.folder, 'load')
    writeTarget(folder, seeded)
    await warmUp(server, { folder, job: 'batch', connections }, 100)
    const samples: Sample[] = []
    for (let round = 0; round < rounds; round++) {
      const load = { folder, job: 'batch', seconds, connections } as const
      samples.push(await stage.measured(() => measure(server, load, () => stage.databaseMicros())))
    }
    const bad = Math.max(...samples.map((sample) => sample.bad))
    if (bad > 0) throw new Error(`${bad} batches were refused or cut off`)
    const size = limits.batch_tasks_max
    const of = (name: 'rps' | 'cpu_us' | 'database_us' | 'p99_ms') => median(samples.map((sample) => sample[name]))
    return [
      { name: 'batches of 100', value: of('rps') * size, unit: 'tasks/s', goal: { at_least: goal_per_second } },
      { name: 'CPU time, server', value: of('cpu_us') / size, unit: 'µs/task' },
      { name: 'CPU time, database server', value: of('database_us') / size, unit: 'µs/task' },
      { name: 'p99 of a batch', value: of('p99_ms'), unit: 'ms' },
    ]
  },
})
