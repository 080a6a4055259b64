/**
 * Clients that change and read the same objects concurrently over HTTP, on PostgreSQL through two processes. What they saw
 * forms a history, and `isolation/checker.ts` searches it for anything that no sequential order of the operations explains.
 */
import { randomUUID } from 'node:crypto'
import { call } from '../../server/test/call.ts'
import type { ServerProcess } from '../../server/test/durability/processes.ts'
import { callUntilFinal } from '../call-until-final.ts'
import { type Deployment, openDeployment } from '../deployment.ts'
import type { Dice } from '../dice.ts'
import { Board, type Send } from '../isolation/board.ts'
import { check } from '../isolation/checker.ts'
import { Client } from '../isolation/clients.ts'
import { History } from '../isolation/history.ts'
import { type EngineName, engines, prefixed, row, type Trial } from '../row.ts'

/** Operations per history; each history has its own objects. Short ones find planted faults sooner. */
const round_operations = 3000
const round_operations_of_faults = 500
const postgres_share = 0.3
/** On SQLite one round in this many has two processes, which wait for each other's commits. */
const second_process_rounds = 8

export const isolation = row({
  name: 'isolation',
  promise:
    'The answers to concurrent requests fit one order that agrees with real time: no lost update, no dirty read, and a change of several objects is seen whole or not at all.',
  cycle: 'an operation: a request of one of 8 to 32 clients that work on the same objects',
  cycles: { short: 1200, long: 1_000_000 },
  unproven: [
    'Two pages of one list, or an answer with `expand`: each part is read at its own moment.',
    'Task counts, which by contract may be a minute old.',
    'Clients on several machines: one clock orders what they see.',
  ],
  async run(trial) {
    const onPostgres = Math.floor(trial.cycles * postgres_share)
    if (trial.engines.length < engines.length) {
      for (const engine of trial.engines) await tryEngine(trial, engine, trial.cycles)
    } else {
      await tryEngine(trial, 'sqlite', trial.cycles - onPostgres)
      await tryEngine(trial, 'postgres', onPostgres)
    }
    return { cycles: trial.cycles }
  },
})

async function tryEngine(trial: Trial, engine: EngineName, operations: number): Promise<void> {
  await using deployment = await openDeployment(engine)
  const dice = trial.dice.fork()
  const servers = [await deployment.serve()]
  const each = trial.fault === null ? round_operations : round_operations_of_faults
  const rounds = Math.ceil(operations / each)
  for (let round = 0; round < rounds && !trial.isOver; round++) {
    const isShared = engine === 'postgres' || round % second_process_rounds === 1
    if (isShared && servers.length === 1) servers.push(await deployment.serve())
    const used = isShared ? servers : servers.slice(0, 1)
    const wanted = Math.min(each, operations - round * each)
    await tryHistory(trial, { deployment, servers: used, dice: dice.fork(), wanted })
    if (round % 10 === 9) trial.say(`${engine}: round ${round + 1} of ${rounds}`)
  }
}

interface Round {
  readonly deployment: Deployment
  readonly servers: readonly ServerProcess[]
  readonly dice: Dice
  readonly wanted: number
}

async function tryHistory(trial: Trial, { deployment, servers, dice, wanted }: Round): Promise<void> {
  const { engine, installation } = deployment
  const history = new History()
  const violated = prefixed(trial, engine)
  let sent = 0
  // Each request has one key and is repeated until its final answer, so its effect is never in doubt.
  const send: Send = async ({ method, path, ...options }) => {
    sent++
    const idempotencyKey = randomUUID()
    return await callUntilFinal(() =>
      call(dice.pick(servers).url, method, path, { key: installation.key, idempotencyKey, ...options }),
    )
  }
  const clients = dice.int(8, 32)
  const board = await Board.open(history, send, clients, dice.int(8, 32))
  const acting = Array.from({ length: clients }, async (_, number) => {
    const client = new Client(number, board, dice.fork(), send, violated)
    while (sent < wanted) await client.act()
  })
  await Promise.all(acting)
  const { operations } = history
  for (const { kind, text } of check(operations)) violated(`${kind}: ${text}`)
  trial.count(`${engine} operations`, sent)
  trial.count('writes', operations.filter(({ writes }) => writes.length > 0).length)
  trial.count('of several objects', operations.filter(({ writes }) => writes.length > 1).length)
  trial.count('refused', operations.filter(({ refused }) => refused !== undefined).length)
  trial.count(
    'objects read',
    operations.reduce((sum, { reads }) => sum + reads.length, 0),
  )
}
