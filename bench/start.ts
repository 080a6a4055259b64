/** Time from the start of the program to its first answer, over a seeded database: `npm run bench:start`. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { benchmark } from './command.ts'
import { median } from './report.ts'
import type { Stage } from './stage.ts'

const goal_seconds = 0.5

/** Seconds of one start, up to the first answered request. */
async function oneStart(stage: Stage, url: string, environment: Readonly<Record<string, string>>): Promise<number> {
  const from = performance.now()
  const server = await stage.start(url, { environment })
  const answer = await fetch(`${server.url}/healthz`)
  const seconds = (performance.now() - from) / 1000
  if (answer.status !== 200) throw new Error(`/healthz answered ${answer.status}`)
  await stage.stop(server)
  return seconds
}

await benchmark({
  name: 'start',
  does: 'Seconds from the start of the program to its first answer.',
  engines: ['sqlite', 'postgres'],
  sizes: {
    tasks: { full: 100_000, quick: 1_000, means: 'tasks in the database' },
    starts: { full: 15, quick: 3, means: 'starts' },
  },
  async run(stage, { tasks, starts }) {
    const url = await stage.newDatabase('start')
    await stage.product.seed(url, { tasks })
    // The first start compiles; `bin/atrium` keeps the compiled code.
    const environment = { NODE_COMPILE_CACHE: mkdtempSync(join(stage.folder, 'compiled-')) }
    const start = () => stage.measured(() => oneStart(stage, url, environment))
    const first = await start()
    const again: number[] = []
    for (let i = 0; i < starts; i++) again.push(await start())
    return [
      { name: 'start', value: median(again), unit: 's', goal: { at_most: goal_seconds } },
      { name: 'slowest of them', value: Math.max(...again), unit: 's' },
      { name: 'first start ever', value: first, unit: 's' },
    ]
  },
})
