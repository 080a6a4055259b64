/**
 * Servers killed while clients write: at random moments, and at points of their code that chance rarely hits
 * (`kill-plants.ts`). On SQLite one process serves; on PostgreSQL one of two is killed while the other continues.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerProcess } from '../../server/test/durability/processes.ts'
import { type Deployment, openDeployment } from '../deployment.ts'
import type { Dice } from '../dice.ts'
import { kill_plants, points } from '../kill-plants.ts'
import { kill_variable } from '../kill-points.ts'
import { examine, openMixed } from '../mixed.ts'
import { planted } from '../plant.ts'
import { buildPlanted } from '../planted-build.ts'
import { type EngineName, engines, prefixed, row, type Trial } from '../row.ts'

/** After this many kills the database is examined, and the next round begins with an empty one. */
const round_kills = 50
const ready_max_ms = 1000
/** Shorter runs share the machine with other tests, so they do not judge the start time. */
const kills_for_time = 100

export const kill = row({
  name: 'kill',
  promise:
    'A server killed at any moment serves again within a second, and nothing it acknowledged is lost, doubled or answered differently.',
  cycle: 'a SIGKILL to a server under mixed writes of 16 clients, which repeat unanswered writes with the same key',
  cycles: { short: 8, long: 720 },
  unproven: [
    'A machine that loses power; see the row "power".',
    'A kill of PostgreSQL itself during a checkpoint. Its recovery is taken as sound; a test kills it a few times.',
    'Every single start within a second. Long runs judge the median from process start to listening, over the third of the servers without kill points. The figures count the slower starts.',
  ],
  async run(trial) {
    await buildPlanted(kill_plants)
    const ready_ms: number[] = []
    const shares = { sqlite: Math.ceil((trial.cycles * 5) / 7), postgres: Math.floor((trial.cycles * 2) / 7) }
    for (const engine of engines) {
      for (let left = shares[engine]; left > 0; left -= round_kills) {
        await killRound(trial, engine, Math.min(left, round_kills), ready_ms)
        trial.say(`${engine}: ${Math.max(0, left - round_kills)} kills to go`)
      }
    }
    const figures = startTimes(ready_ms)
    const isSlow = trial.cycles >= kills_for_time && figures.ready_median_ms > ready_max_ms
    if (isSlow) trial.violated(`ready after ${figures.ready_median_ms} ms`)
    return { cycles: trial.cycles, figures }
  },
})

function startTimes(ready_ms: readonly number[]) {
  const sorted = ready_ms.toSorted((a, b) => a - b).map(Math.round)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
  const slow = sorted.filter((ms) => ms > ready_max_ms).length
  return { starts: sorted.length, ready_median_ms: at(0.5), ready_p99_ms: at(0.99), ready_after_1_s: slow }
}

async function killRound(trial: Trial, engine: EngineName, kills: number, ready_ms: number[]): Promise<void> {
  await using deployment = await openDeployment(engine)
  const dice = trial.dice.fork()
  const violated = prefixed(trial, engine)
  const count = engine === 'postgres' ? 2 : 1
  // A server learns its kill point when it starts, so each successor is started with the plan of a later kill.
  const plans = dice.shuffle(Array.from({ length: kills }, (_, i) => planOf(engine, i, dice)))
  const servers = await Promise.all(Array.from({ length: count }, (_, i) => deployment.serve(armed(plans[i]))))
  const { writers } = await openMixed(deployment, (servers[0] as ServerProcess).url, dice.fork())
  let turn = 0
  writers.start(() => (servers[++turn % count] as ServerProcess).url, deployment.installation.key)
  try {
    for (const [i, { point }] of plans.entries()) {
      const victim = servers[i % count] as ServerProcess
      if (point === 'anywhere') {
        await writers.more(dice.int(1, 60))
        await sleep(dice.int(0, 20))
        if (!victim.alive()) violated(`a server ended by itself: ${victim.log().slice(-500)}`)
        await victim.kill()
      } else await victim.ended()
      trial.count(`${engine} ${victim.log().includes('killed behind') ? 'behind ' : ''}${point}`)
      servers[i % count] = await startNext(deployment, armed(plans[i + count]), ready_ms)
    }
    await writers.more(16)
    await writers.stop()
  } catch (error) {
    writers.giveUp()
    if (writers.wrong.length === 0) throw error
  }
  for (const wrong of writers.wrong) violated(wrong)
  trial.count('acknowledged', writers.answered.length)
  await examine(violated, { deployment, url: (servers[0] as ServerProcess).url, answered: writers.answered })
}

interface KillPlan {
  readonly point: string
  /** The passage of the point that kills. */
  readonly times: number
  /** From the beginning of the work to interrupt. */
  readonly delay_us: number
}

/** Every third kill comes at a random moment, the others at the named points in turn. */
function planOf(engine: EngineName, i: number, dice: Dice): KillPlan {
  const named = points[engine]
  const point = i % 3 === 0 ? 'anywhere' : (named[i % named.length] as string)
  return { point, times: dice.int(4, 25), delay_us: dice.int(0, 1500) }
}

function armed(plan: KillPlan | undefined): Record<string, string> {
  if (plan === undefined || plan.point === 'anywhere') return {}
  return { ...planted(kill_plants), [kill_variable]: `${plan.point}:${plan.times}:${plan.delay_us}` }
}

/** Starts a server; measures the start if the server has no kill points. */
async function startNext(deployment: Deployment, environment: Record<string, string>, ready_ms: number[]) {
  const from = performance.now()
  const server = await deployment.serve(environment)
  if (Object.keys(environment).length === 0) ready_ms.push(performance.now() - from)
  return server
}
