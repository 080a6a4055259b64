/**
 * Outgoing requests. Random targets, each an internal address in some notation or a name that resolves to one, now or at the
 * next lookup, reach nothing. Receivers that answer endlessly, slowly, wrongly or with a zip bomb are cut off in time and leave
 * no memory behind.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { isGlobalUnicast } from '../../server/src/egress/addresses.ts'
import { Egress } from '../../server/src/egress/egress.ts'
import type { Dice } from '../dice.ts'
import { trap } from '../hostile.ts'
import { row, type Trial } from '../row.ts'
import { carriers, innerAddress, targetsOf } from '../targets.ts'

const growth_max = 5 * 1024 * 1024
const rebound_share = 0.02

export const egress = row({
  name: 'egress',
  promise: 'No name or notation reaches an internal address, and no receiver costs more than its time limit and 5 MiB.',
  cycle:
    'a random internal address in four notations; some are what a name resolves to; hostile receivers are tried besides',
  cycles: { short: 3000, long: 200_000 },
  unproven: ['Answers of real resolvers: here the answers and their changes are simulated.'],
  async run(trial) {
    const hostile = await openHostile()
    try {
      const rebound = await tryTargets(trial, hostile)
      if (trial.isOver) return { cycles: trial.cycles, figures: { rebound } }
      const { growth, requests } = await tryHostile(trial, hostile.port)
      const figures = { rebound, requests, 'RSS growth in KiB': Math.round(growth / 1024) }
      return { cycles: trial.cycles, figures }
    } finally {
      hostile.child.stdin?.end()
    }
  },
})

const quick = { method: 'POST', headers: {}, body: '{}', response_bytes_max: 64 * 1024 }

/** No target passes the check, no internal address counts as public, and no name leads to the trap. */
async function tryTargets(trial: Trial, hostile: Hostile): Promise<number> {
  let rebound = 0
  const waiting: Promise<void>[] = []
  const strict = resolvingTo([])
  for (let i = 0; i < trial.cycles; i++) {
    const dice = trial.dice.fork()
    const address = innerAddress(dice)
    for (const target of targetsOf(dice, address)) {
      if ((await strict.check(target)).ok) trial.violated(`${target} counts as public`)
    }
    for (const spelling of [address, ...carriers(dice, address)]) {
      if (isGlobalUnicast(spelling)) trial.violated(`${spelling} counts as public`)
    }
    if (!dice.chance(rebound_share)) continue
    rebound++
    waiting.push(rebind(trial, dice))
    if (waiting.length >= 64) await Promise.all(waiting.splice(0))
  }
  await Promise.all(waiting)
  const connections = await hostile.trapped()
  if (connections > 0) trial.violated(`${connections} connections reached an internal address`)
  return rebound
}

/** An Egress for which every name resolves to these addresses. */
function resolvingTo(addresses: readonly string[]): Egress {
  return new Egress({ allowedHosts: [], allowedCidrs: [], resolve: async () => addresses })
}

/** A public name that resolves to an internal address: alone, mapped, or among others. */
async function rebind(trial: Trial, dice: Dice): Promise<void> {
  const answers = dice.pick([[trap], [`::ffff:${trap}`], [trap, '8.8.8.8'], [`::ffff:${trap}`, '2606:4700::1111']])
  const url = new URL('https://hooks.dev:8443/')
  const result = await resolvingTo(answers).send({ ...quick, url, total_ms: 300, connect_ms: 200 })
  if (result.ok || result.failure !== 'unreachable') {
    trial.violated(`a name that resolves to ${answers} ended with ${result.ok ? result.status : result.failure}`)
  }
}

interface Hostile {
  readonly child: ChildProcess
  readonly port: number
  /** How many connections reached the trap. */
  trapped(): Promise<number>
}

async function openHostile(): Promise<Hostile> {
  const program = join(import.meta.dirname, '../hostile.ts')
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  const { port } = JSON.parse(line as string) as { port: number }
  const trapped = async () => Number(await (await fetch(`http://127.0.0.1:${port}/trapped`)).text())
  return { child, port, trapped }
}

interface HostileResult {
  readonly growth: number
  readonly requests: number
  readonly complaints: readonly string[]
}

/** Sends to hostile receivers from a new process, whose memory has not grown yet. */
async function tryHostile(trial: Trial, port: number): Promise<HostileResult> {
  const rounds = Math.max(5, Math.ceil(trial.cycles / 700))
  const program = join(import.meta.dirname, '../send-to-hostile.ts')
  // A small young generation: a large one would count as growth.
  const flags = ['--max-semi-space-size=1', '--expose-gc']
  const args = [String(port), String(rounds), String(trial.dice.int(0, 2 ** 30))]
  // As in `bin/atrium`.
  const env = { ...process.env, MALLOC_ARENA_MAX: '1' }
  const child = spawn(process.execPath, [...flags, program, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const result = JSON.parse(await text(child.stdout)) as HostileResult
  for (const complaint of result.complaints) trial.violated(complaint)
  if (result.growth > growth_max) {
    trial.violated(`${rounds} rounds of hostile receivers left ${result.growth} bytes behind`)
  }
  return result
}
