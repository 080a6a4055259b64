/**
 * Clocks that jump ahead and back, to leap days, to 2^31 seconds, and two processes five minutes apart, with what depends on
 * time looked at around its edges. Each part has a model of its own of what must be.
 */
import { assertSound } from '../../server/test/durability/soundness.ts'
import { populate } from '../../server/test/things.ts'
import type { World } from '../../server/test/world.ts'
import { told } from '../mixed.ts'
import { engines } from '../place.ts'
import { type EngineName, row, type Trial } from '../row.ts'
import { tryCounts, tryIds, tryPreviews, tryRetention, tryTimers } from '../time/ages.ts'
import {
  desksOf,
  openAhead,
  tryKeysApart,
  trySchedulesApart,
  trySweepsApart,
  tryTokensApart,
  tryWorkApart,
} from '../time/apart.ts'
import { tryCredentials } from '../time/credentials.ts'
import { tryDeliveries, tryLostEndpoint, tryOverlap } from '../time/deliveries.ts'
import { tryDownloads, tryLostExport } from '../time/downloads.ts'
import { tryKeys } from '../time/keys.ts'
import { tryOperations } from '../time/operations.ts'
import { Scene } from '../time/scene.ts'
import { tryCalendar, tryRuns, trySchedules } from '../time/schedules.ts'
import { nextMoment, tryUsage, tryWindows, WindowModel, window_environment } from '../time/windows.ts'
import { inWorld } from '../worlds.ts'

/** Moments of a world: the next round begins with an empty one. */
const round_moments = 1500

export const time = row({
  name: 'time',
  promise:
    'Windows, leases, ids, retries, signatures and schedules are right by the clock, however it jumps, and in two processes whose clocks are five minutes apart.',
  cycle: 'a moment: a clock set to it, forward or back, and what depends on it looked at',
  cycles: { short: 500, long: 40_000 },
  unproven: [
    'What waits for a moment, a retry or the lease of a lost process, waits longer by as much as the clock is put back.',
    'Credits that a process holds when its clock is put back stay counted: then a window gives up to a sixteenth less, never more.',
    'With clocks apart, the leases of one process are over for the other before their time: each delivery then comes at least once, and sometimes twice. What must happen once is fenced by more than the clock.',
    'Timers of a process (heartbeats of streams, limits of waits), which do not ask the clock.',
  ],
  async run(trial) {
    const tally: Record<string, number> = {}
    let moments = 0
    const share = Math.ceil(trial.cycles / 2)
    for (const engine of engines) {
      for (let left = share; left > 0; ) {
        if (trial.fault !== null && tally.violations) return { cycles: moments, figures: tally }
        const done = await round(trial, tally, engine, Math.min(left, round_moments))
        left -= done
        moments += done
        trial.say(`${engine}: ${Math.max(0, left)} moments to go`)
      }
    }
    return { cycles: moments, figures: tally }
  },
})

type Tally = Record<string, number>

/** A part of a round, by the name under which its moments are counted. */
type Part = readonly [name: string, tryIt: () => Promise<unknown>]

async function round(trial: Trial, tally: Tally, engine: EngineName, moments: number): Promise<number> {
  const dice = trial.dice.fork()
  const violated = (text: string): void => {
    tally.violations = (tally.violations ?? 0) + 1
    trial.violated(text)
  }
  let done = 0
  // A quarter of the moments belongs to the windows, which need a world with small ones.
  await inWorld(engine, {}, async (world) => {
    const scene = new Scene(engine, world, dice.fork(), violated)
    await ordinary(scene, tally, Math.ceil(moments * 0.75))
    await told(violated, `${engine}: the logs`, () =>
      world.services.store.snapshot('system', (reader) => assertSound(reader, world.acme.id)),
    )
    done += scene.moments
  })
  await inWorld(engine, { environment: window_environment }, async (world) => {
    const scene = new Scene(engine, world, dice.fork(), violated)
    await windows(scene, tally, Math.ceil(moments * 0.25))
    done += scene.moments
  })
  return done
}

async function ordinary(scene: Scene, tally: Tally, moments: number): Promise<void> {
  const { world, dice, engine } = scene
  const things = await populate(world)
  const parts: Part[] = [
    ['keys', () => tryKeys(scene)],
    ['credentials', () => tryCredentials(scene)],
    ['downloads', () => tryDownloads(scene)],
    ['leases', () => tryLostExport(scene)],
    ['leases', () => tryLostEndpoint(scene)],
    ['deliveries', () => tryDeliveries(scene, dice.int(3, 10))],
    ['signatures', () => tryOverlap(scene)],
    ['retention', () => tryRetention(scene)],
    ['counts', () => tryCounts(scene)],
    ['previews', () => tryPreviews(scene)],
    ['ids', () => tryIds(scene)],
    ['timers', () => tryTimers(scene)],
    ['calendar', async () => tryCalendar(scene)],
    ['schedules', () => trySchedules(scene, 12)],
    ['runs', () => tryRuns(scene)],
    ['operations', () => tryOperations(scene, things, 12)],
  ]
  if (engine === 'sqlite') return await inTurn(scene, tally, parts, moments)
  const ahead = await openAhead(world, {
    ATRIUM_CREDITS_PER_MINUTE: 'unlimited',
    ATRIUM_CREDITS_PER_DAY: 'unlimited',
    ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited',
  })
  try {
    const desks = desksOf(world, ahead)
    const twice = async () => {
      tally['deliveries twice with clocks apart'] ??= 0
      tally['deliveries twice with clocks apart'] += await tryWorkApart(scene, ahead)
    }
    parts.push(
      ['keys apart', () => tryKeysApart(scene, desks, ahead)],
      ['tokens apart', () => tryTokensApart(scene, desks)],
      ['schedules apart', () => trySchedulesApart(scene, ahead, 12)],
      ['sweeps apart', () => trySweepsApart(scene, ahead)],
      ['work apart', twice],
    )
    await inTurn(scene, tally, parts, moments)
  } finally {
    await ahead.close()
  }
}

/** All parts in some order, again and again, until so many moments have been tried. */
async function inTurn(scene: Scene, tally: Tally, parts: readonly Part[], moments: number): Promise<void> {
  while (scene.moments < moments) {
    for (const [name, tryIt] of scene.dice.shuffle(parts)) {
      const before = scene.moments
      await tryIt()
      tally[name] = (tally[name] ?? 0) + scene.moments - before
      if (scene.moments >= moments) return
    }
  }
}

async function windows(scene: Scene, tally: Tally, moments: number): Promise<void> {
  const { world, engine } = scene
  const keys = [(await world.key()).secret, (await world.key()).secret]
  const ahead = engine === 'postgres' ? await openAhead(world, window_environment) : null
  const desks = ahead === null ? [deskOf(world)] : desksOf(world, ahead)
  const model = new WindowModel()
  try {
    while (scene.moments < moments) {
      scene.at(nextMoment(scene))
      await tryWindows(scene, model, scene.dice.pick(desks), keys)
      if (ahead === null && scene.dice.chance(0.2)) await tryUsage(scene, model, deskOf(world), scene.dice.pick(keys))
    }
    tally.windows = (tally.windows ?? 0) + scene.moments
  } finally {
    await ahead?.close()
  }
}

function deskOf(world: World) {
  return { name: 'the only one', now: () => world.clock.now(), call: world.call.bind(world) }
}
