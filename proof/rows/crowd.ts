/**
 * Thousands of consumers at one server: streams, half of them stalled, and webhook endpoints, some of them bad. Each crowd runs
 * twice, once without bad consumers, and the experience of the healthy ones is compared.
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

/** Healthy consumers may be this many times slower beside bad ones. */
const slower_max = 1.2
/** Differences are judged from this many consumers on, and only while other processes use at most this many cores. */
const judged_from = 3000
const others_max = 0.3

export const crowd = row({
  name: 'crowd',
  promise:
    'Stalled streams and webhook endpoints that hang, refuse or drip do not harm other consumers, and each consumer costs bounded memory.',
  cycle:
    'a consumer: one third are streams, half of them stalled in every second pass; two thirds are webhook endpoints, one in twenty bad',
  cycles: { short: 60, long: 15_000 },
  unproven: [
    'That healthy consumers are at most a fifth slower is judged in long runs only, as the median of pairs, and only on an otherwise idle machine; the figures say whether it was.',
    'A network with delays and loss: everything runs on one machine, with small socket buffers.',
    'Several servers over one database.',
  ],
  async skipReason() {
    const { status } = spawnSync('unshare', [...unshared, 'ip', 'link', 'set', 'lo', 'up'])
    return status === 0 ? null : 'a separate network namespace is needed (unshare and ip of Linux)'
  },
  async run(trial) {
    const { streams, webhooks } = await runCrowd(trial, plansOf(trial))
    const figures = {
      ...streams?.figures,
      ...webhooks?.figures,
      ...(streams === null ? {} : compare(trial, 'streams', streams.passes.calm, streams.passes.stalled)),
      ...(webhooks === null ? {} : compare(trial, 'webhooks', webhooks.passes.calm, webhooks.passes.bad)),
    }
    return { cycles: trial.cycles, figures }
  },
})

/** Without root, a user namespace grants it. */
const unshared = process.getuid?.() === 0 ? ['--net'] : ['--net', '--map-root-user']

interface CrowdOutcome {
  readonly streams: Awaited<ReturnType<typeof tryStreams>> | null
  readonly webhooks: Awaited<ReturnType<typeof tryWebhooks>> | null
}

/** A planted fault concerns either streams or webhooks; the other half is left out. */
function plansOf({ cycles, fault }: Trial): Plans {
  const isLong = cycles >= judged_from
  const streams = 2 * Math.ceil(cycles / 6)
  const pairs = isLong ? 3 : 1
  const ofStreams = fault !== 'claims_wait_for_all'
  const ofWebhooks = fault === null || fault === 'claims_wait_for_all'
  return {
    streams: !ofStreams
      ? null
      : {
          ...{ streams, pairs, apart: isLong },
          // A few stalled streams reach the buffer limit of a mebibyte; many are cut off by the time limit.
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

async function runCrowd(trial: Trial, plans: Plans): Promise<CrowdOutcome> {
  const program = join(import.meta.dirname, '../crowd/run.ts')
  const inside = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, program, JSON.stringify(plans)]
  const child = spawn('unshare', [...unshared, ...inside], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  let outcome: CrowdOutcome | null = null
  for await (const line of createInterface({ input: child.stdout })) {
    const report = JSON.parse(line) as { violated?: string; said?: string; outcome?: CrowdOutcome }
    if (report.violated !== undefined) trial.violated(report.violated)
    if (report.said !== undefined) trial.say(report.said)
    outcome = report.outcome ?? outcome
  }
  const [code] = await exit
  if (outcome === null) throw new Error(`the crowd ended with ${code}`)
  return outcome
}

/** Compares what healthy consumers see, alone and beside bad ones, in pairs of passes. */
function compare(
  trial: Trial,
  of: string,
  calm: readonly Pass[],
  bad: readonly Pass[],
): Record<string, number | string> {
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
    [`${of}_slower`]: `${ratio.toFixed(2)} times, ${isJudged ? 'judged' : `not judged: other processes used ${others.toFixed(1)} cores`}`,
  }
}
