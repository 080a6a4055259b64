/**
 * Clocks that jump forward and back, to leap days and to 2^31 seconds, and two processes five minutes apart. Everything that
 * depends on time is checked around its edges, each part against its own model.
 */
import type { RunningServer } from '../../server/src/main.ts'
import { assertSound } from '../../server/test/durability/soundness.ts'
import { populate, type Things } from '../../server/test/things.ts'
import { type EngineName, reportFailure, row, type Trial } from '../row.ts'
import { tryCounts, tryIds, tryPreviews, tryRetention, tryTimers } from '../time/ages.ts'
import {
  openAhead,
  peersOf,
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
import { nextMoment, type Peer, tryUsage, tryWindows, WindowModel, window_environment } from '../time/windows.ts'
import { inWorld } from '../worlds.ts'

/** After this many moments the next round begins with an empty world. */
const round_moments = 1500

export const time = row({
  name: 'time',
  promise:
    'Windows, leases, ids, retries, signatures and schedules follow the clock, however it jumps, also in two processes with clocks five minutes apart.',
  cycle: 'a moment: the clock is set forward or back to it, and what depends on the clock is checked',
  cycles: { short: 260, long: 40_000 },
  unproven: [
    'After a clock is set back, whatever waits for a moment, a retry or the lease of a lost process waits that much longer.',
    'Credits that a process holds while its clock is set back stay counted: the window then grants up to a sixteenth less, never more.',
    'With clocks apart, the leases of one process expire early for the other: each delivery then comes at least once, and often twice. What must happen once is fenced by more than the clock.',
    'Timers of a process (heartbeats of streams, timeouts), which do not use the clock.',
  ],
  async run(trial) {
    const rounds = new Rounds(trial)
    for (const engine of trial.engines) {
      for (let left = Math.ceil(trial.cycles / 2); left > 0 && !trial.isOver; ) {
        left -= await rounds.one(engine, Math.min(left, round_moments))
        trial.say(`${engine}: ${Math.max(0, left)} moments to go`)
      }
    }
    return { cycles: rounds.moments }
  },
})

/** A part of a round with the name of its figure. */
type Part = readonly [name: string, tryIt: () => Promise<unknown>]

const unlimited = {
  ATRIUM_CREDITS_PER_MINUTE: 'unlimited',
  ATRIUM_CREDITS_PER_DAY: 'unlimited',
  ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited',
}

class Rounds {
  moments = 0
  private readonly trial: Trial

  constructor(trial: Trial) {
    this.trial = trial
  }

  /** Returns how many moments it tried. A quarter tries credit windows, in a world with small ones. */
  async one(engine: EngineName, moments: number): Promise<number> {
    const before = this.moments
    await this.world(engine, window_environment, (scene) => this.windows(scene, Math.ceil(moments / 4)))
    if (!this.trial.isOver)
      await this.world(engine, unlimited, (scene) => this.ordinary(scene, Math.ceil((moments * 3) / 4)))
    return this.moments - before
  }

  private async world(engine: EngineName, environment: Record<string, string>, use: (scene: Scene) => Promise<void>) {
    const dice = this.trial.dice.fork()
    await inWorld(engine, { environment }, async (world) => {
      const scene = new Scene(engine, world, dice, (text) => this.trial.violated(text))
      await use(scene)
      this.moments += scene.moments
    })
  }

  private async ordinary(scene: Scene, moments: number): Promise<void> {
    const { world, engine } = scene
    const parts = partsOf(scene, await populate(world))
    const ahead = engine === 'postgres' ? await openAhead(world, unlimited) : null
    try {
      if (ahead !== null) parts.push(...this.partsApart(scene, ahead))
      await this.tryInTurn(scene, parts, moments)
      const { store } = world.services
      const check = () => store.snapshot('system', (reader) => assertSound(reader, world.acme.id))
      await reportFailure((text) => scene.violated(text), 'logs', check)
      // After the check of the logs, because swept events are missing there.
      if (ahead !== null) await trySweepsApart(scene, ahead)
    } finally {
      await ahead?.close()
    }
  }

  private partsApart(scene: Scene, ahead: RunningServer): Part[] {
    const peers = peersOf(scene.world, ahead)
    const work = async () => this.trial.count('deliveries twice with clocks apart', await tryWorkApart(scene, ahead))
    return [
      ['keys apart', () => tryKeysApart(scene, peers, ahead)],
      ['tokens apart', () => tryTokensApart(scene, peers)],
      ['schedules apart', () => trySchedulesApart(scene, ahead, 12)],
      ['work apart', work],
    ]
  }

  /** Repeats all parts in random order until `moments` are tried. */
  private async tryInTurn(scene: Scene, parts: readonly Part[], moments: number): Promise<void> {
    while (scene.moments < moments) {
      for (const [name, tryIt] of scene.dice.shuffle(parts)) {
        const before = scene.moments
        await tryIt()
        this.trial.count(name, scene.moments - before)
        if (scene.moments >= moments || this.trial.isOver) return
      }
    }
  }

  private async windows(scene: Scene, moments: number): Promise<void> {
    const { world, engine, dice } = scene
    const keys = [(await world.key()).secret, (await world.key()).secret]
    const ahead = engine === 'postgres' ? await openAhead(world, window_environment) : null
    const alone: Peer = { name: 'alone', now: () => world.clock.now(), call: (...given) => world.call(...given) }
    const peers = ahead === null ? [alone] : peersOf(world, ahead)
    const model = new WindowModel()
    try {
      while (scene.moments < moments && !this.trial.isOver) {
        scene.at(nextMoment(scene))
        await tryWindows(scene, model, dice.pick(peers), keys)
        if (ahead === null && dice.chance(0.2)) await tryUsage(scene, model, alone, dice.pick(keys))
      }
      this.trial.count('windows', scene.moments)
    } finally {
      await ahead?.close()
    }
  }
}

function partsOf(scene: Scene, things: Things): Part[] {
  const { dice } = scene
  return [
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
    // A timer that an operation started may still run.
    ['timers', () => things.stopRunning().then(() => tryTimers(scene))],
    ['calendar', async () => tryCalendar(scene)],
    ['schedules', () => trySchedules(scene, 12)],
    ['runs', () => tryRuns(scene)],
    ['operations', () => tryOperations(scene, things, 12)],
  ]
}
