/**
 * What workers do for a create on PostgreSQL, for one organization and for many: CPU time of program and database per create, from the
 * load until the workers are idle, with all of them, with none, and with each alone: `npm run bench:workers`.
 */
import { workers as registered } from '../server/src/workers/index.ts'
import { benchmark, say } from './command.ts'
import type { Figure } from './figures.ts'
import { type Follower, followers, openFollowed, organization_sizes, type SwitchedWorkers } from './follow-up.ts'
import { warmUp } from './measure.ts'
import { median } from './report.ts'
import type { ServerProcess } from './server-process.ts'
import type { Stage } from './stage.ts'

const job = 'create'

/** Which workers rest, by the name of the measurement. */
const cases: Readonly<Record<string, 'all' | readonly string[]>> = {
  'the request': 'all',
  ...Object.fromEntries(Object.keys(followers).map((name) => [name, allBut(name as Follower)])),
  'all other workers': Object.keys(followers),
  'the request with all workers': [],
}

function allBut(name: Follower): string[] {
  return registered.map((worker) => worker.name).filter((each) => each !== name)
}

/** The CPU time of a create in one case. Afterwards all workers read what those that rested have not read. */
async function costOf(stage: Stage, server: ServerProcess, workers: SwitchedWorkers, of: Case): Promise<number> {
  workers.rest(of.rest)
  const { load, total_us } = await stage.measured(() =>
    workers.measure(server, { folder: of.folder, job, seconds: of.seconds }),
  )
  if (load.bad > 0) throw new Error(`${load.bad} bad answers`)
  workers.rest([])
  await workers.untilIdle(server)
  return total_us
}

interface Case {
  readonly rest: 'all' | readonly string[]
  readonly folder: string
  readonly seconds: number
}

await benchmark({
  name: 'workers',
  does: 'CPU time that each worker adds to a create on PostgreSQL, for one organization and for many.',
  engines: ['postgres'],
  needs: ['wrk'],
  sizes: organization_sizes,
  async run(stage, { organizations, tasks, rounds, seconds }) {
    const { url, server, workers, folders } = await openFollowed(stage, 'workers', { organizations, tasks })
    for (const folder of Object.values(folders)) await warmUp(server, { folder, job }, seconds * 1000)
    await workers.untilIdle(server)
    // Plans that were made while tables were empty are made again, as in a database that has been used for some minutes.
    await stage.settle(url)
    const costs = new Map<string, number[]>()
    for (let round = 0; round < rounds; round++)
      for (const [name, rest] of Object.entries(cases))
        for (const [side, folder] of Object.entries(folders)) {
          const cost = await costOf(stage, server, workers, { rest, folder, seconds })
          say(`${name}, ${side}: ${cost.toFixed(0)} µs`)
          const key = `${side} ${name}`
          costs.set(key, [...(costs.get(key) ?? []), cost])
        }
    return figuresOf(costs, { one: '1 organization', many: `${organizations} organizations` })
  },
})

/** What each case adds to the request, in each round. */
function figuresOf(costs: ReadonlyMap<string, readonly number[]>, sides: Readonly<Record<string, string>>): Figure[] {
  return Object.entries(sides).flatMap(([side, organizations]) => {
    const of = (name: string) => costs.get(`${side} ${name}`) as readonly number[]
    const request = of('the request')
    return Object.keys(cases).map((name, i): Figure => {
      const isWhole = i === 0 || name === 'the request with all workers'
      const value = median(of(name).map((cost, round) => cost - (isWhole ? 0 : (request[round] as number))))
      return { name: `${organizations}: ${name}`, value, unit: 'µs' }
    })
  })
}
