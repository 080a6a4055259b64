/**
 * The API against a model written from the contract: random runs of commands over all operations, each in a new organization,
 * on both engines at once. A run that diverges is shrunk.
 */
import fc from 'fast-check'
import { openReceiver } from '../../server/test/receiver.ts'
import type { World } from '../../server/test/world.ts'
import { Document } from '../document.ts'
import type { Setting } from '../model/kinds.ts'
import { Reached } from '../model/reached.ts'
import { Server } from '../model/server.ts'
import { visitAll } from '../model/tour.ts'
import { beginRun, type Command, type Divergence, type Run } from '../model/trial.ts'
import { type Outcome, row, type Trial } from '../row.ts'
import { inWorld } from '../worlds.ts'

const commands_per_run = 60
/** Random numbers that each command draws from. */
const numbers_per_command = 40
/** Runs per seed of fast-check. */
const runs_per_seed = 50
/** Attempts to shrink a run that diverged. */
const shrinks_max = 120
/** How many commands before a divergence its report shows. */
const reported_commands_max = 12

const limits = { minute: 800, day: 2500, plan_day: 2400 }
const environment = {
  ATRIUM_CREDITS_PER_MINUTE: String(limits.minute),
  ATRIUM_CREDITS_PER_DAY: String(limits.day),
  ATRIUM_CREDITS_PER_PLAN_DAY: String(limits.plan_day),
}

/** Shrinking replaces slots by `null`, which leaves out their command. */
const slot = fc.option(
  fc.array(fc.nat({ max: 2 ** 20 }), { minLength: numbers_per_command, maxLength: numbers_per_command }),
  { freq: 1_000_000 },
)
const run = fc.noBias(fc.array(slot, { minLength: commands_per_run, maxLength: commands_per_run }))

export const model = row({
  name: 'model',
  promise: 'On both engines every operation answers as a model written from the contract predicts.',
  cycle: `a run of ${commands_per_run} commands on both engines: requests for all operations, and other events in an organization's life`,
  cycles: { short: 8, long: 2000 },
  unproven: [
    'What runs of automations do, and what becomes of deliveries: other tests try that. Here they are started, listed and cancelled.',
    'The messages of errors: their codes, statuses, types and parameters are compared.',
    'Which of several faults a request is refused for, where the contract leaves it open.',
  ],
  async run(trial: Trial): Promise<Outcome> {
    const receiver = await openReceiver()
    receiver.verify = ({ event }, response) =>
      void response.writeHead(event.data.object.url.endsWith('/bad') ? 500 : 204).end()
    const { url } = receiver
    const receivers = { good: `${url}/good`, bad: `${url}/bad`, gone: 'http://127.0.0.1:9/' }
    try {
      return await inWorld('sqlite', { environment }, (sqlite) =>
        inWorld('postgres', { environment }, (postgres) => tryAll(trial, [sqlite, postgres], receivers)),
      )
    } finally {
      await receiver.close()
    }
  },
})

async function tryAll(trial: Trial, [sqlite, postgres]: [World, World], receivers: Setting['receivers']) {
  const document = new Document()
  const servers = [new Server('sqlite', sqlite, document, limits), new Server('postgres', postgres, document, limits)]
  const reached = new Reached()
  const begin = () => beginRun(servers, { limits, receivers, foreign }, reached)
  const foreign = await foreignIds(sqlite)
  const tour = await begin()
  const divergence = await visitAll(tour)
  if (divergence !== null) trial.violated(describe(tour, divergence))
  let runs = 0
  while (runs < trial.cycles && !trial.isOver) {
    const found = await search(trial, begin, Math.min(runs_per_seed, trial.cycles - runs))
    runs += found.runs
    if (found.text !== null) trial.violated(found.text)
    trial.say(`${runs} of ${trial.cycles} runs`)
  }
  for (const missing of trial.fault === null ? reached.missing() : []) trial.violated(`never met: ${missing}`)
  const answers = servers.reduce((sum, { judged }) => sum + judged, 0)
  return { cycles: runs, figures: { runs, answers, ...reached.figures() } }
}

/** Ids of another organization, which must be answered like unknown ones. */
async function foreignIds(world: World): Promise<Setting['foreign']> {
  const { key } = world.globex
  const { id: workspace } = await world.make('/v1/workspaces', { title: 'Theirs' }, { key })
  const { id: task } = await world.make('/v1/tasks', { workspace, title: 'Theirs' }, { key })
  const { id: board } = await world.make('/v1/boards', { name: 'Theirs' }, { key })
  return {
    workspace: [workspace],
    task: [task],
    board: [board],
    user: [world.globex.user],
    organization: [world.globex.id],
  }
}

/** Tries `count` runs, or fewer if one diverges; returns its shrunk description. */
async function search(
  trial: Trial,
  begin: () => Promise<Run>,
  count: number,
): Promise<{ runs: number; text: string | null }> {
  let runs = 0
  let smallest: string | null = null
  let shrinks = 0
  const property = fc.asyncProperty(run, async (made) => {
    if (smallest === null) runs++
    else if (++shrinks > shrinks_max) return
    const begun = await begin()
    const found = await carryOut(begun, made)
    if (found === null) return
    smallest = describe(begun, found)
    throw new Error(smallest)
  })
  const seed = trial.dice.int(0, 2 ** 31 - 1)
  await fc.check(property, { seed, numRuns: count, endOnFailure: trial.fault !== null })
  return { runs, text: smallest }
}

async function carryOut(begun: Run, made: readonly (Command | null)[]): Promise<Divergence | null> {
  for (const command of made) {
    const found = command === null ? null : await begun.step(command)
    if (found !== null) return found
  }
  return await begun.close()
}

function describe({ history }: Run, { engine, what }: Divergence): string {
  return `${engine}: ${what} after ${history.slice(-reported_commands_max).join(' | ')}`.slice(0, 6000)
}
