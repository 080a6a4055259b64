/** Runs of flows whose worker is killed once each, on one engine: what rows about steps of automations share. */
import { readConfig } from '../server/src/config.ts'
import { startServer } from '../server/src/main.ts'
import { call, type Reply } from '../server/test/call.ts'
import { fastClock, type Pace } from '../server/test/durability/fast-clock.ts'
import { install } from '../server/test/durability/installation.ts'
import { migratedDatabase } from '../server/test/migrated.ts'
import type { Dice } from './dice.ts'
import { killWorker, points, rate } from './flow-worker.ts'
import { ensurePostgres } from './postgres.ts'
import { type EngineName, prefixed, type Trial } from './row.ts'

export type Send = (path: string, body: object) => Promise<Reply['body']>
export type Server = Awaited<ReturnType<typeof startServer>>

interface KilledRuns<Place, Cycle> {
  /** A worker is killed in one of this many transactions of a run. */
  readonly transactions: number
  readonly make: (send: Send) => Promise<Place>
  readonly begin: (send: Send, server: Server, place: Place, dice: Dice) => Promise<Cycle>
  /** Lets another worker finish the run, and judges it. */
  readonly end: (server: Server, cycle: Cycle) => Promise<void>
  /** Counted beside the point of the kill. */
  readonly kindOf?: (cycle: Cycle) => string
}

/** Returns the number of runs. */
export async function tryKilledRuns<Place, Cycle>(
  trial: Trial,
  engine: EngineName,
  { transactions, make, begin, end, kindOf = () => '' }: KilledRuns<Place, Cycle>,
): Promise<number> {
  await using _postgres = await ensurePostgres(engine)
  const database = await migratedDatabase(engine)
  const violated = prefixed(trial, engine)
  const pace: Pace = { begun: Date.now(), rate }
  const { environment, key } = await install(database.url, database.folder)
  const server = await startServer(readConfig(environment), { clock: fastClock(pace) })
  const send: Send = async (path, body) => {
    const reply = await call(server.url, 'POST', path, { key, body })
    if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`)
    return reply.body
  }
  try {
    const place = await make(send)
    const cycles = Math.ceil(trial.cycles / trial.engines.length)
    let tried = 0
    for (; tried < cycles && !trial.isOver; tried++) {
      const dice = trial.dice.fork()
      const cycle = await begin(send, server, place, dice)
      const [point, times] = [dice.pick(points), dice.int(1, transactions)]
      const died = await killWorker({ environment, pace, point, times })
      if (died) trial.count(`killed ${point}${kindOf(cycle)}`)
      else violated(`a run ended in fewer than ${times} transactions`)
      await end(server, cycle)
    }
    return tried
  } finally {
    await server.close()
    await database.remove()
  }
}
