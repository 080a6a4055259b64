/**
 * Runs that wait for a person. Asked people, others, and repeated requests decide, also at once: an approval is decided once, by a
 * person who was asked, and its run goes on once, by the port of that decision.
 */
import { query } from '../../server/src/db/query.ts'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { addMember } from '../../server/src/resources/members/write.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { openDesk } from '../../server/test/automations/desk.ts'
import type { World } from '../../server/test/world.ts'
import { prefixed, row, type Trial, type Violated } from '../row.ts'
import { inWorld } from '../worlds.ts'

const decisions = ['approved', 'rejected'] as const
type Decision = (typeof decisions)[number]

export const approvals = row({
  name: 'approvals',
  promise:
    'An approval is decided once, by a person who was asked, and its run goes on once, by the port of that decision.',
  cycle: 'an approval, with one to four decisions at once: of asked people, of others, and repeated',
  cycles: { short: 60, long: 5_000 },
  unproven: ['Processes that die: a test of its own kills them.'],
  async run(trial) {
    let approvals = 0
    for (const engine of trial.engines) {
      if (trial.isOver) break
      await inWorld(engine, {}, async (world) => {
        approvals += await tryDeciders(trial, world, prefixed(trial, engine))
      })
    }
    return { cycles: approvals, figures: { approvals } }
  },
})

const allSteps = query((db) =>
  db.selectFrom('automation_steps').select(['run', 'node', 'port']).where('status', '=', 'succeeded').orderBy('number'),
)

async function tryDeciders(trial: Trial, world: World, violated: Violated): Promise<number> {
  const { flow, task, asked, others } = await openFlow(world)
  const went = new Map<string, Decision>()
  const cycles = Math.ceil(trial.cycles / trial.engines.length)
  let tried = 0
  for (; tried < cycles && !trial.isOver; tried++) {
    const dice = trial.dice.fork()
    const run = (await startByHand(world.services, flow, task)).id
    await drainRuns(world.services)
    const [approval] = (await world.get(`/v1/automation_approvals?automation_run=${run}`)).body.data
    const deciders = Array.from({ length: dice.int(1, 4) }, (_, i) => {
      const key = dice.chance(0.3) ? dice.pick(others) : dice.pick(asked)
      return {
        key,
        decision: dice.pick(decisions),
        idempotencyKey: dice.chance(0.3) ? `${run}-${key.slice(-8)}` : `${run}-${i}`,
      }
    })
    const replies = await Promise.all(
      deciders.map(({ decision, ...options }) =>
        world.post(`/v1/automation_approvals/${approval.id}/decide`, { decision }, options),
      ),
    )
    const taken = new Set<string>()
    for (const [i, { status, body }] of replies.entries()) {
      if (status !== 200) continue
      taken.add(body.status)
      if (others.includes(deciders[i]?.key ?? '')) violated(`${approval.id} was decided by a person who was not asked`)
    }
    trial.count(taken.size === 0 ? 'undecided' : 'decided')
    if (taken.size > 1) violated(`${approval.id} was decided as ${[...taken].join(' and ')}`)
    const [decision] = taken
    if (decision !== undefined) went.set(run, decision as Decision)
    await drainRuns(world.services)
    const { workspace } = approval
    const { status } = (await world.get(`/v1/automation_runs/${run}?workspace=${workspace}`)).body
    if (decision !== undefined && status !== 'succeeded') violated(`${run} is ${status} after its approval was decided`)
    // A waiting run would keep the slot of the task from the next one.
    if (status === 'sleeping') await world.make(`/v1/automation_runs/${run}/cancel`, { workspace })
    world.clock.advance(60_000)
  }
  await compare(world, went, violated)
  return tried
}

/** Each decided run has passed the approval and one step behind it; no other run has. */
async function compare(world: World, went: ReadonlyMap<string, Decision>, violated: Violated): Promise<void> {
  const steps = Map.groupBy(await world.services.store.reader('system').all(allSteps), ({ run }) => run)
  for (const run of new Set([...steps.keys(), ...went.keys()])) {
    const decision = went.get(run)
    const found = (steps.get(run) ?? []).map(({ node }) => node).join(', ')
    const expected = decision === undefined ? '' : `ask, ${decision}`
    if (found !== expected) violated(`${run} went through [${found}] instead of [${expected}]`)
  }
}

/** A flow that asks two people, and the keys of these and of two others. */
async function openFlow(world: World) {
  const desk = await openDesk(world)
  const people: { readonly user: string; readonly key: string }[] = []
  for (const name of ['eve', 'fred', 'gus', 'hal']) {
    const { user } = await addMember(world.services, world.acme.id, { email: `${name}@acme.example` })
    people.push({ user, key: (await world.key({ owner: { type: 'user', id: user } })).secret })
  }
  const [asked, others] = [people.slice(0, 2), people.slice(2)]
  const flow = await desk.activate({
    schema_version: 4,
    settings: { max_runs_per_hour: 3600 },
    nodes: [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'ask', type: 'approval.wait', config: { people: asked.map(({ user }) => user), text: 'May we?' } },
      ...decisions.map((port) => ({ id: port, type: 'task.comment', config: { body: port } })),
    ],
    edges: [{ source: 'by_hand', target: 'ask' }, ...decisions.map((port) => ({ source: 'ask', port, target: port }))],
  })
  const keys = (of: typeof people) => of.map(({ key }) => key)
  return { flow: flow.id as string, task: desk.task, asked: keys(asked), others: keys(others) }
}
