/**
 * The part of a journal that a rerun takes over: all entries before the step from which it starts. They are copied with their outputs
 * in one statement, so that their size does not matter (contract/16#reruns).
 */
import { sql } from 'kysely'
import { refuse } from '../../../api/declare/errors.ts'
import type { Program } from '../../../automations/program.ts'
import { Walk, type WalkEntry } from '../../../automations/walk.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'

const entriesOf = query((db, p: Placeholder<{ realm: number; run: string }>) =>
  db
    .selectFrom('automation_steps')
    .select(['node', 'path', 'status', 'port', 'items'])
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .orderBy('number'),
)

/** The number of entries before the step. Refuses a step that the run did not reach or skipped, and a step of a loop's body. */
export async function stepsBefore(
  reader: Reader,
  run: Pick<AutomationRunRow, 'realm' | 'id' | 'trigger_node'>,
  program: Program,
  step: string,
): Promise<number> {
  const node = program.steps.get(step)?.node
  if (node === undefined) throw unusable(`"${step}" names no step of the flow's version.`)
  if (node.parent !== undefined) {
    throw unusable(`"${step}" is in the body of a loop. Use the loop itself, "${node.parent}".`)
  }
  const walk = new Walk(program, run.trigger_node)
  let count = 0
  for (const { path, ...entry } of await reader.all(entriesOf, { realm: run.realm, run: run.id })) {
    if (isNext(walk, step)) return count
    walk.record({ ...entry, path: path === '' ? [] : path.split('.').map(Number) } as WalkEntry)
    if (entry.node === step) throw unusable(`"${step}" was skipped in the run, because no edge to it was taken.`)
    count++
  }
  // The step during which the run was canceled has no entry.
  if (isNext(walk, step)) return count
  throw unusable(`The run did not reach "${step}".`)
}

function isNext(walk: Walk, step: string): boolean {
  const next = walk.next()
  return next.action === 'run' && next.node === step
}

function unusable(message: string): Error {
  return refuse('invalid_request_body', { param: 'from_step', message: `from_step: ${message}` })
}

const taken_over = [
  'number',
  'node',
  'path',
  'status',
  'port',
  'items',
  'input',
  'output',
  'reason',
  'failure',
  'correction',
] as const
const times = ['started_at', 'ended_at'] as const

const copy = query((db, p: Placeholder<{ realm: number; from: string; to: string; count: number }>) =>
  db
    .insertInto('automation_steps')
    .columns(['realm', 'run', ...taken_over, 'changes', 'attempts', ...times, 'reused'])
    .expression((from) =>
      from
        .selectFrom('automation_steps')
        .select(['realm', sql<string>`cast(${p('to')} as text)`.as('run'), ...taken_over])
        .select([sql<string>`'[]'`.as('changes'), sql<number>`0`.as('attempts'), ...times, sql<number>`1`.as('reused')])
        .where('realm', '=', p('realm'))
        .where('run', '=', p('from'))
        .where('number', '<=', p('count')),
    ),
)

/**
 * Copies the first `count` entries. The copies changed nothing: what the steps did is in the journal of the other run. Refuses with 409
 * if the worker that removes old runs has removed it meanwhile.
 */
export async function takeOver(tx: Tx, realm: number, from: string, to: string, count: number): Promise<void> {
  if (count === 0 || (await tx.run(copy, { realm, from, to, count })) === count) return
  // Without its entries, the new run would carry out the steps again that it should take over.
  throw refuse('resource_conflict', { message: 'The journal of the run was removed, because the run is too old.' })
}
