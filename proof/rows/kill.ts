/**
 * Servers that are killed while clients write: at any moment, and at points of their code that are hard to meet by chance
 * (`kill-plants.ts`). On SQLite one process serves; on PostgreSQL two, of which one is killed while the other goes on.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerProcess } from '../../server/test/durability/processes.ts'
import type { Dice } from '../dice.ts'
import { kill_plants, points } from '../kill-plants.ts'
import { kill_variable } from '../kill-points.ts'
import { examine, openMixed } from '../mixed.ts'
import { openPlace, type Place } from '../place.ts'
import { planted } from '../plant.ts'
import { buildPlanted } from '../planted-build.ts'
import { type EngineName, row, type Trial } from '../row.ts'

/** After so many kills a database is examined, and the next begins with an empty one. */
const round_kills = 50
const ready_max_ms = 1000
/** The time is judged of so many kills: the short run shares its machine with other tests. */
const kills_for_time = 100

class Tally {
  acknowledged = 0
  readonly ready_ms: number[] = []
  readonly kills: Record<string, number> = {}

  killed(engine: EngineName, how: string): void {
    const name = `${engine} ${how}`
    this.kills[name] = (this.kills[name] ?? 0) + 1
  }

  figures() {
    const sorted = this.ready_ms.toSorted((a, b) => a - b).map(Math.round)
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
    const late = sorted.filter((ms) => ms > ready_max_ms).length
    const ready = { starts: sorted.length, ready_median_ms: at(0.5), ready_p99_ms: at(0.99), ready_after_1_s: late }
    return { acknowledged: this.acknowledged, ...ready, ...this.kills }
  }
}

export const kill = row({
  name: 'kill',
  promise:
    'Killed at any moment, a server comes back within a second, and of what it acknowledged nothing is lost, doubled or answered otherwise.',
  cycle: 'a SIGKILL to a server under mixed writes of 16 clients that repeat what was not answered with the same key',
  cycles: { short: 12, long: 720 },
  unproven: [
    'A machine that loses its power: the row "power" tries that.',
    'A kill of PostgreSQL itself in mid checkpoint: its own recovery is taken as sound (a test kills it a few times).',
    'The second is asserted of the median, from the start of the process until it listens, of the third of the servers that carry no instrument for the next kill, and in long runs only: a single start says more of what else the machine does. How many took longer is among the figures.',
  ],
  async run(trial) {
    await buildPlanted(kill_plants)
    const tally = new Tally()
    const shares = { sqlite: Math.ceil((trial.cycles * 5) / 7), postgres: Math.floor((trial.cycles * 2) / 7) }
    for (const engine of ['sqlite', 'postgres'] as const) {
      for (let left = shares[engine]; left > 0; left -= round_kills) {
        await round(trial, tally, engine, Math.min(left, round_kills))
        trial.say(`${engine}: ${Math.max(0, left - round_kills)} kills to go`)
      }
    }
    const figures = tally.figures()
    const isLate = trial.cycles >= kills_for_time && figures.ready_median_ms > ready_max_ms
    if (isLate) trial.violated(`ready after ${figures.ready_median_ms} ms`)
    return { cycles: trial.cycles, figures }
  },
})

async function round(trial: Trial, tally: Tally, engine: EngineName, kills: number): Promise<void> {
  await using place = await openPlace(engine)
  const dice = trial.dice.fork()
  const count = engine === 'postgres' ? 2 : 1
  // A server is told at its start where it is to end; each kill's successor is told of the next.
  const ways = dice.shuffle(Array.from({ length: kills }, (_, i) => wayOf(engine, i, dice)))
  const servers = await Promise.all(Array.from({ length: count }, (_, at) => place.serve(armed(ways[at]))))
  const mixed = await openMixed(place, (servers[0] as ServerProcess).url, dice.fork())
  const { writers } = mixed
  let turn = 0
  writers.start(() => (servers[++turn % count] as ServerProcess).url, place.installation.key)
  try {
    for (const [i, way] of ways.entries()) {
      const victim = servers[i % count] as ServerProcess
      if (way.point === 'anywhere') {
        await writers.more(dice.int(1, 60))
        await sleep(dice.int(0, 20))
        if (!victim.alive()) trial.violated(`${engine}: a server ended by itself: ${victim.log().slice(-500)}`)
        await victim.kill()
      } else await victim.ended()
      tally.killed(engine, victim.log().includes('killed behind') ? `behind ${way.point}` : way.point)
      servers[i % count] = await readyAgain(place, tally, armed(ways[i + count]))
    }
    await writers.more(16)
    await writers.stop()
  } catch (error) {
    writers.giveUp()
    if (writers.wrong.length === 0) throw error
  }
  for (const wrong of writers.wrong) trial.violated(`${engine}: ${wrong}`)
  tally.acknowledged += writers.answered.length
  const violated = (text: string) => trial.violated(`${engine}: ${text}`)
  await examine(violated, { place, url: (servers[0] as ServerProcess).url, answered: writers.answered })
}

interface Way {
  readonly point: string
  /** The how manieth time it is reached, and microseconds from the beginning of what is to be broken off. */
  readonly times: number
  readonly delay_us: number
}

/** Every third kill comes at any moment, the others at the named points in turn. */
function wayOf(engine: EngineName, i: number, dice: Dice): Way {
  const named = points[engine]
  const point = i % 3 === 0 ? 'anywhere' : (named[i % named.length] as string)
  return { point, times: dice.int(4, 25), delay_us: dice.int(0, 1500) }
}

function armed(way: Way | undefined): Record<string, string> {
  if (way === undefined || way.point === 'anywhere') return {}
  return { ...planted(kill_plants), [kill_variable]: `${way.point}:${way.times}:${way.delay_us}` }
}

/** A server that answers again, and how long that took from the start of its process: of those as they are installed. */
async function readyAgain(place: Place, tally: Tally, more: Record<string, string>): Promise<ServerProcess> {
  const from = performance.now()
  const server = await place.serve(more)
  if (Object.keys(more).length === 0) tally.ready_ms.push(performance.now() - from)
  return server
}
