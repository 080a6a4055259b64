/**
 * A crowd at one server: thousands of streams, half of them stalled, and thousands of webhook endpoints, some of them bad. Each
 * crowd comes twice, once with nobody bad, and what the healthy ones see is compared.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { median, percentile } from '../../bench/report.ts'
import type { Plans } from '../crowd/run.ts'
import type { Pass, tryStreams } from '../crowd/streams.ts'
import type { tryWebhooks } from '../crowd/webhooks.ts'
import { row, type Trial } from '../row.ts'

/** The healthy ones may be slower by so much when others are bad. */
const slower_max = 1.2
/** Below so many consumers a difference says nothing, nor where others keep more than this of a core busy. */
const judged_from = 3000
const others_max = 0.3

export const crowd = row({
  name: 'crowd',
  promise:
    'Streams that nobody reads and webhook endpoints that hang, refuse or drip harm none of the others, and each consumer costs a bounded memory.',
  cycle:
    'a consumer: one third are streams, half of them stalled in every second pass, two thirds webhook endpoints, one in twenty bad',
  cycles: { short: 60, long: 15_000 },
  unproven: [
    'That healthy ones are not slower by more than a fifth is judged in long runs only, as the median of pairs, and only on a machine that others leave alone; the figures say whether it was.',
    'A network with delays and loss: all is on one machine, with small socket buffers.',
    'Several servers over one database.',
  ],
  async hindrance() {
    const tried = spawnSync('unshare', [...unshared, 'ip', 'link', 'set', 'lo', 'up'])
    return tried.status === 0 ? null : 'a network namespace of its own is needed (unshare and ip of Linux)'
  },
  async run(trial) {
    const { streams, webhooks } = await letLoose(trial, plansOf(trial))
    const figures: Record<string, number | string> = { ...streams?.figures, ...webhooks?.figures }
    if (streams !== null)
      Object.assign(figures, compared(trial, 'streams', streams.passes.calm, streams.passes.stalled))
    if (webhooks !== null)
      Object.assign(figures, compared(trial, 'webhooks', webhooks.passes.calm, webhooks.passes.bad))
    return { cycles: trial.cycles, figures }
  },
})

/** Whoever is not root becomes it in a namespace of users. */
const unshared = process.getuid?.() === 0 ? ['--net'] : ['--net', '--map-root-user']

interface Outcome {
  readonly streams: Awaited<ReturnType<typeof tryStreams>> | null
  readonly webhooks: Awaited<ReturnType<typeof tryWebhooks>> | null
}

/** A planted fault concerns one half of it, which is enough. */
function plansOf({ cycles, fault }: Trial): Plans {
  const isLong = cycles >= judged_from
  const streams = 2 * Math.ceil(cycles / 6)
  const pairs = isLong ? 3 : 1
  const ofStreams = fault !== 'all_for_one'
  const ofWebhooks = fault === null || fault === 'all_for_one'
  return {
    streams: !ofStreams
      ? null
      : {
          ...{ streams, pairs, apart: isLong },
          // Few streams are soon a mebibyte behind; of many it is the time for which they take nothing that counts.
          ...(isLong
            ? { events: 160, events_a_second: 2, description_chars: 1000, cut_ms: 120_000 }
            : { events: 64, events_a_second: 0, description_chars: 60_000, cut_ms: 15_000 }),
        },
    webhooks: !ofWebhooks
      ? null
      : {
          ...{ endpoints: cycles - streams, pairs, apart: isLong },
          ...(isLong
            ? { events: 3, apart_ms: 1500, arrival_ms: 120_000 }
            : { events: 3, apart_ms: 100, arrival_ms: 20_000 }),
        },
  }
}

async function letLoose(trial: Trial, plans: Plans): Promise<Outcome> {
  const program = join(import.meta.dirname, '../crowd/run.ts')
  const inside = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, program, JSON.stringify(plans)]
  const child = spawn('unshare', [...unshared, ...inside], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  let outcome: Outcome | null = null
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as { violated?: string; said?: string; outcome?: Outcome }
    if (said.violated !== undefined) trial.violated(said.violated)
    if (said.said !== undefined) trial.say(said.said)
    outcome = said.outcome ?? outcome
  }
  const [code] = await exit
  if (outcome === null) throw new Error(`the crowd ended with ${code}`)
  return outcome
}

/** What the healthy ones see, alone and beside bad ones, in pairs. */
function compared(trial: Trial, of: string, calm: readonly Pass[], bad: readonly Pass[]) {
  const at = (passes: readonly Pass[], share: number) => median(passes.map(({ times }) => percentile(times, share)))
  const ratio = median(calm.map(({ times }, i) => percentile(bad[i]?.times ?? [], 0.5) / percentile(times, 0.5)))
  const others = Math.max(...[...calm, ...bad].map((pass) => pass.others))
  const isJudged = trial.cycles >= judged_from && others <= others_max
  if (isJudged && ratio > slower_max)
    trial.violated(`healthy ${of} are ${ratio.toFixed(2)} times as slow beside bad ones`)
  const ms = (value: number) => (Number.isFinite(value) ? Math.round(value * 10) / 10 : 'none')
  return {
    [`${of}_median_ms`]: ms(at(calm, 0.5)),
    [`${of}_median_beside_bad_ms`]: ms(at(bad, 0.5)),
    [`${of}_p99_ms`]: ms(at(calm, 0.99)),
    [`${of}_p99_beside_bad_ms`]: ms(at(bad, 0.99)),
    [`${of}_slower`]: `${ratio.toFixed(2)} times, ${isJudged ? 'judged' : `not judged: others kept ${others.toFixed(1)} cores busy`}`,
  }
}
