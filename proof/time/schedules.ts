/** Automations by the clock: schedules against an independent calendar, sleeping runs, runs of a lost process. */
import { nextFiring } from '../../server/src/automations/cron.ts'
import { automation_limits } from '../../server/src/automations/limits.ts'
import { type Placeholder, query } from '../../server/src/db/query.ts'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { chain, comment, delay } from '../../server/test/automations/graphs.ts'
import { activate, begin, openOffice, runsOf } from '../../server/test/automations/served.ts'
import type { Dice } from '../dice.ts'
import { firingsBetween } from './calendar.ts'
import { day, hour, minute, type Scene, second } from './scene.ts'

/** Clock changes somewhere, leap days, and 2^31 seconds. */
const turns: readonly (readonly [timezone: string, at: string])[] = [
  ['Europe/Berlin', '2027-03-28T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['America/New_York', '2028-03-12T07:00:00Z'],
  ['America/New_York', '2037-11-01T06:00:00Z'],
  ['Australia/Lord_Howe', '2027-04-03T15:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['Asia/Beirut', '2028-03-25T22:00:00Z'],
  ['America/Santiago', '2028-09-03T04:00:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['Antarctica/Troll', '2027-10-31T01:00:00Z'],
  ['Asia/Kathmandu', '2028-02-29T00:00:00Z'],
  ['UTC', '2028-02-29T12:00:00Z'],
  ['UTC', '2100-02-28T12:00:00Z'],
  ['UTC', '2038-01-19T03:14:08Z'],
  ['Europe/Berlin', '2038-03-28T01:00:00Z'],
]

function anyCron(dice: Dice): string {
  return [
    dice.pick(['0', '30', '15', '5,35', '*/15', '*/30', '59', '14']),
    dice.pick(['*', '2', '0', '1-3', '*/2', '3', '1,2', '23', '*/6']),
    dice.pick(['*', '*', '*', '29', '28-31', '1']),
    dice.pick(['*', '*', '*', '2', '3,10', '1-4']),
    dice.pick(['*', '*', '0', '1-5', '6']),
  ].join(' ')
}

/** Compares the firings of three days around a clock change, each computed from the one before. */
export function tryCalendar(scene: Scene): void {
  const { dice } = scene
  const [timezone, at] = dice.pick(turns)
  const cron = anyCron(dice)
  const from = Date.parse(at) - 36 * hour - dice.int(0, hour)
  const until = from + 3 * day
  const firings: number[] = []
  for (let next = nextFiring({ cron, timezone }, from); next !== null && next <= until; ) {
    firings.push(next)
    next = nextFiring({ cron, timezone }, next)
  }
  const shown = (moments: readonly number[]) => moments.map((ms) => new Date(ms).toISOString()).join()
  const expected = firingsBetween(cron, timezone, from, until)
  scene.expect(shown(firings), shown(expected), `${cron} in ${timezone} around ${at}`)
  scene.moments += 1 + expected.length
}

/** With a jumping clock each firing starts one run, not before its time, however often the schedule is checked. */
export async function trySchedules(scene: Scene, checks: number): Promise<void> {
  const { world, dice } = scene
  const [timezone, at] = dice.pick(turns)
  const cron = dice.pick(['30 2 * * *', '0 * * * *', '*/30 * * * *', '0 0 29 2 *', '15 1-3 * * *'])
  const misfire = dice.pick(['run_once', 'skip'])
  scene.at(Date.parse(at) - dice.int(0, 30 * hour))
  const office = await openOffice(world)
  const nodes = [
    { id: 'when', type: 'trigger.schedule', config: { cron, timezone, misfire } },
    { id: 'make', type: 'task.create', config: { set: { title: 'Made' } } },
  ]
  const graph = {
    schema_version: 1,
    settings: { max_runs_per_hour: 3600 },
    nodes,
    edges: [{ source: 'when', target: 'make' }],
  }
  const flow = await activate(world, office, graph)
  let next = nextOf(cron, timezone, scene.now)
  let runs = 0
  for (let check = 0; check < checks; check++) {
    const due = next - scene.now
    scene.at(scene.now + dice.pick([scene.jump(), 20 * minute, hour, due - 1, due, due + minute + 1]))
    await begin(world.services)
    if (scene.now >= next) {
      if (misfire === 'run_once' || scene.now - next <= automation_limits.automation_misfire_ms) runs++
      next = nextOf(cron, timezone, scene.now)
    }
    const what = `the runs of ${cron} in ${timezone} (${misfire}), check ${check}`
    scene.expect((await runsOf(world, office, flow.id)).length, runs, what)
  }
  await world.post(`/v1/automation_flows/${flow.id}/pause`, { workspace: office.workspace })
}

/** From the calendar; from the product only if the next firing is more than three days away. */
function nextOf(cron: string, timezone: string, after: number): number {
  return firingsBetween(cron, timezone, after, after + 3 * day)[0] ?? nextFiring({ cron, timezone }, after) ?? Infinity
}

const lose = query((db, p: Placeholder<{ until: number | null; realm: number; id: string }>) =>
  db
    .updateTable('automation_runs')
    .set({ lease_owner: 'lost', lease_until: p('until'), due_at: p('until') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/** A sleeping run, also one whose process was lost, continues when due and does each step once. */
export async function tryRuns(scene: Scene): Promise<void> {
  const { world, dice } = scene
  scene.at(scene.start())
  const office = await openOffice(world)
  const nap = dice.int(60, 7200)
  const flow = await activate(world, office, chain(comment('before'), delay('nap', nap), comment('after')))
  const { id } = await startByHand(world.services, flow.id, office.task)
  await drainRuns(world.services)
  const comments = async () => (await world.get(`/v1/tasks/${office.task}/comments`)).body.data.length
  const wakes = scene.now + nap * second
  const isLost = dice.chance(0.5)
  // A process claimed it when it woke, and was lost then.
  const until = isLost ? wakes + automation_limits.automation_lease_ms : wakes
  const change = { realm: world.acme.realms.live, id, until }
  if (isLost) await world.services.store.write('system', async (tx) => tx.write(lose, change))
  let woken = false
  for (const moment of scene.around(until)) {
    scene.at(moment)
    await drainRuns(world.services)
    woken ||= moment >= until
    scene.expect(await comments(), woken ? 2 : 1, `the steps of a run ${moment - until} ms after it is due`)
  }
  await world.post(`/v1/automation_flows/${flow.id}/pause`, { workspace: office.workspace })
}
