/**
 * The way out. Targets by chance, each an inner address in some notation or a name that stands for one, now or at the next
 * look-up, reach nothing. Receivers that answer endlessly, slowly, wrongly or with a bomb end in time and leave no memory.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { isGlobalUnicast } from '../../server/src/lib/addresses.ts'
import { Egress } from '../../server/src/lib/egress.ts'
import type { Dice } from '../dice.ts'
import { trap } from '../hostile.ts'
import { type Outcome, row, type Trial } from '../row.ts'
import { carriers, innerAddress, targetsOf } from '../targets.ts'

const growth_max = 5 * 1024 * 1024
const rebound_share = 0.02

export const egress = row({
  name: 'egress',
  promise: 'Nothing inside is reached by any name or notation, and no receiver costs more than its time and 5 MiB.',
  cycle:
    'an inner address by chance in four notations; some are what a name stands for, and hostile receivers come besides',
  cycles: { short: 3000, long: 200_000 },
  unproven: [
    'Names that the resolvers of a real network answer: the answers here are made up, and so are their changes.',
  ],
  async run(given) {
    let noted = 0
    const trial: Trial = {
      ...given,
      say: (text) => given.say(text),
      violated(text) {
        noted++
        given.violated(text)
      },
    }
    const hostile = await openHostile()
    try {
      const rebound = await reachAll(trial, hostile)
      if (trial.fault !== null && noted > 0) return { cycles: trial.cycles, figures: { rebound } as Outcome['figures'] }
      const { growth, requests } = await bearAll(trial, hostile.port)
      const figures = { rebound, requests, 'RSS growth in KiB': Math.round(growth / 1024) }
      return { cycles: trial.cycles, figures: figures as Outcome['figures'] }
    } finally {
      hostile.child.stdin?.end()
    }
  },
})

const quick = { method: 'POST', headers: {}, body: '{}', response_bytes_max: 64 * 1024 }

/** No target passes the check, no address inside counts as public, and no name leads to the trap. */
async function reachAll(trial: Trial, hostile: Hostile): Promise<number> {
  let rebound = 0
  const waiting: Promise<void>[] = []
  const strict = named([])
  for (let i = 0; i < trial.cycles; i++) {
    const dice = trial.dice.fork()
    const address = innerAddress(dice)
    for (const target of targetsOf(dice, address)) {
      if ((await strict.check(target)).ok) trial.violated(`${target} is taken for public`)
    }
    for (const spelling of [address, ...carriers(dice, address)]) {
      if (isGlobalUnicast(spelling)) trial.violated(`${spelling} is taken for public`)
    }
    if (!dice.chance(rebound_share)) continue
    rebound++
    waiting.push(rebind(trial, dice))
    if (waiting.length >= 64) await Promise.all(waiting.splice(0))
  }
  await Promise.all(waiting)
  const connections = await hostile.trapped()
  if (connections > 0) trial.violated(`${connections} connections came to an address that no public name may stand for`)
  return rebound
}

/** The way out where every name stands for these addresses. */
function named(addresses: readonly string[]): Egress {
  return new Egress({ allowedHosts: [], allowedCidrs: [], resolve: async () => addresses })
}

/** A public name that stands for an inner address, alone, in another form, or behind others. */
async function rebind(trial: Trial, dice: Dice): Promise<void> {
  const answers = dice.pick([[trap], [`::ffff:${trap}`], [trap, '8.8.8.8'], [`::ffff:${trap}`, '2606:4700::1111']])
  const url = new URL('https://hooks.dev:8443/')
  const result = await named(answers).send({ ...quick, url, total_ms: 300, connect_ms: 200 })
  if (result.ok || result.failure !== 'unreachable') {
    trial.violated(`a name that stands for ${answers} came to ${result.ok ? result.status : result.failure}`)
  }
}

interface Hostile {
  readonly child: ChildProcess
  readonly port: number
  /** How many connections came to the trap. */
  trapped(): Promise<number>
}

async function openHostile(): Promise<Hostile> {
  const program = join(import.meta.dirname, '../hostile.ts')
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [said] = await once(createInterface(child.stdout), 'line')
  const { port } = JSON.parse(said as string) as { port: number }
  const trapped = async () => Number(await (await fetch(`http://127.0.0.1:${port}/trapped`)).text())
  return { child, port, trapped }
}

interface Borne {
  readonly growth: number
  readonly requests: number
  readonly complaints: readonly string[]
}

/** Sends to hostile receivers in a process of its own: this one has grown by what it did before. */
async function bearAll(trial: Trial, port: number): Promise<Borne> {
  const rounds = Math.max(5, Math.ceil(trial.cycles / 700))
  const program = join(import.meta.dirname, '../bear.ts')
  // The collector's reserve would be taken for growth.
  const flags = ['--max-semi-space-size=1', '--expose-gc']
  const given = [String(port), String(rounds), String(trial.dice.int(0, 2 ** 30))]
  // As `bin/atrium` has it.
  const env = { ...process.env, MALLOC_ARENA_MAX: '1' }
  const child = spawn(process.execPath, [...flags, program, ...given], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const borne = JSON.parse(await text(child.stdout)) as Borne
  for (const complaint of borne.complaints) trial.violated(complaint)
  if (borne.growth > growth_max) {
    trial.violated(`${rounds} rounds of hostile receivers left ${borne.growth} bytes behind`)
  }
  return borne
}
