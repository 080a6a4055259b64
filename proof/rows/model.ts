/**
 * The API against a model of it that was written from the contract: runs of commands by chance over all operations, in an
 * organization of their own each, on both engines at once. What diverges is made smaller until little of it is left.
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

const commands = 60
const numbers = 40
/** Runs from one seed of fast-check's. */
const block = 50
/** How often a run that diverged is tried again with less in it. */
const tries_max = 120
/** Commands before the divergence that are told. */
const told_max = 12

const limits = { minute: 800, day: 2500, plan_day: 2400 }
const environment = {
  ATRIUM_CREDITS_PER_MINUTE: String(limits.minute),
  ATRIUM_CREDITS_PER_DAY: String(limits.day),
  ATRIUM_CREDITS_PER_PLAN_DAY: String(limits.plan_day),
}

/** A slot of a run that is left out makes it smaller. */
const slot = fc.option(fc.array(fc.nat({ max: 2 ** 20 }), { minLength: numbers, maxLength: numbers }), {
  freq: 1_000_000,
})
const run = fc.noBias(fc.array(slot, { minLength: commands, maxLength: commands }))

export const model = row({
  name: 'model',
  promise: 'Every operation answers as a model says that was written from the contract, and so do both engines.',
  cycle: `a run of ${commands} commands, on both engines: requests of all operations, and what else happens to an organization`,
  cycles: { short: 8, long: 2000 },
  unproven: [
    'What runs of automations do inside, and what becomes of deliveries: other tests try them; here they are begun, listed, cancelled.',
    'The sentences of errors: their codes, statuses, types and parameters are compared.',
    'Which of several wrong things a request is refused for, where the decisions leave it open.',
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
  const foreign = await others(sqlite)
  const toured = await begin()
  const lost = await visitAll(toured)
  if (lost !== null) trial.violated(tell(toured, lost))
  let runs = 0
  while (runs < trial.cycles && !(trial.fault !== null && lost !== null)) {
    const count = Math.min(block, trial.cycles - runs)
    const found = await search(trial, begin, count)
    runs += found.runs
    if (found.text !== null) trial.violated(found.text)
    if (found.text !== null && trial.fault !== null) break
    trial.say(`${runs} of ${trial.cycles} runs`)
  }
  for (const missing of trial.fault === null ? reached.missing() : []) trial.violated(`never met: ${missing}`)
  const answers = servers.reduce((sum, { judged }) => sum + judged, 0)
  return { cycles: runs, figures: { runs, answers, ...reached.figures() } }
}

/** Ids of another organization: for everybody else they are ids of nothing. */
async function others(world: World): Promise<Setting['foreign']> {
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

/** So many runs, or fewer when one diverges: that one is then tried again with less in it. */
async function search(
  trial: Trial,
  begin: () => Promise<Run>,
  count: number,
): Promise<{ runs: number; text: string | null }> {
  let runs = 0
  let smallest: string | null = null
  let tries = 0
  const property = fc.asyncProperty(run, async (made) => {
    if (smallest === null) runs++
    else if (++tries > tries_max) return
    const begun = await begin()
    const found = await carry(begun, made)
    if (found === null) return
    smallest = tell(begun, found)
    throw new Error(smallest)
  })
  const seed = trial.dice.int(0, 2 ** 31 - 1)
  await fc.check(property, { seed, numRuns: count, endOnFailure: trial.fault !== null })
  return { runs, text: smallest }
}

async function carry(begun: Run, made: readonly (Command | null)[]): Promise<Divergence | null> {
  for (const command of made) {
    const found = command === null ? null : await begun.step(command)
    if (found !== null) return found
  }
  return await begun.close()
}

function tell({ told }: Run, { engine, what }: Divergence): string {
  return `${engine}: ${what} after ${told.slice(-told_max).join(' | ')}`.slice(0, 6000)
}
