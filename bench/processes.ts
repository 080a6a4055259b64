/**
 * Whether two processes on one PostgreSQL serve half as much again as one. One and two servers are loaded in alternation:
 * `npm run bench:processes`. It takes four cores: two servers, the database, the load.
 */
import { join } from 'node:path'
import { benchmark } from './command.ts'
import type { Figure } from './figures.ts'
import { cores, load_core, server_core } from './machine.ts'
import { connections_usual, measure, type Sample, warmUp } from './measure.ts'
import { median } from './report.ts'
import type { ServerProcess } from './server-process.ts'
import type { Stage } from './stage.ts'
import { type Job, writeTarget } from './target.ts'

const goal_times = 1.5
const cores_needed = 4
const compared: readonly Job[] = ['get', 'list', 'create']
const connections = connections_usual / 2

interface Both {
  readonly one: Sample
  readonly two: readonly Sample[]
}

/** The second server's core: not the load's; the first server's if there is no other. */
const second_core = cores >= cores_needed ? load_core + 1 : server_core

async function round(servers: readonly [ServerProcess, ServerProcess], folder: string, job: Job, seconds: number) {
  const load = { folder, job, seconds }
  const one = await measure(servers[0], { ...load, connections: connections_usual })
  const two = await Promise.all(servers.map((server) => measure(server, { ...load, connections })))
  return { one, two }
}

function sum(samples: readonly Sample[]): number {
  return samples.reduce((total, sample) => total + sample.rps, 0)
}

function figuresOf(job: Job, rounds: readonly Both[]): Figure[] {
  const few = `this machine has ${cores} cores, and ${cores_needed} are needed: two servers, the database, the load`
  const bad = rounds.flatMap(({ one, two }) => [one, ...two]).reduce((total, sample) => total + sample.bad, 0)
  if (bad > 0) throw new Error(`${bad} bad answers to ${job}`)
  return [
    {
      name: `${job}: two processes`,
      value: median(rounds.map(({ two }) => sum(two))) / median(rounds.map(({ one }) => one.rps)),
      unit: 'times one',
      goal: { at_least: goal_times },
      ...(cores >= cores_needed ? {} : { unsure: few }),
    },
    {
      name: `${job}: CPU time of a request with two`,
      value:
        median(rounds.flatMap(({ two }) => two.map((sample) => sample.cpu_us))) /
        median(rounds.map(({ one }) => one.cpu_us)),
      unit: 'times with one',
    },
  ]
}

async function openServers(stage: Stage, url: string): Promise<[ServerProcess, ServerProcess]> {
  return [await stage.start(url), await stage.start(url, { core: second_core })]
}

await benchmark({
  name: 'processes',
  does: 'Throughput of two processes on one PostgreSQL compared with one.',
  engines: ['postgres'],
  needs: ['wrk'],
  sizes: {
    tasks: { full: 100_000, quick: 2_000, means: 'tasks in the database' },
    rounds: { full: 3, quick: 1, means: 'rounds' },
    seconds: { full: 5, quick: 1, means: 'seconds per load' },
  },
  async run(stage, { tasks, rounds, seconds }) {
    const url = await stage.newDatabase('processes')
    const seeded = await stage.product.seed(url, { tasks })
    await stage.settle(url)
    const servers = await openServers(stage, url)
    const folder = join(stage.folder, 'load')
    writeTarget(folder, seeded)
    for (const server of servers) for (const job of compared) await warmUp(server, { folder, job }, seconds * 2000)
    const figures: Figure[] = []
    for (const job of compared) {
      const taken: Both[] = []
      for (let i = 0; i < rounds; i++) taken.push(await stage.measured(() => round(servers, folder, job, seconds)))
      figures.push(...figuresOf(job, taken))
    }
    return figures
  },
})
