/** SQL for task numbers, dependencies and comments. The SQL of lists and counts is in `list/queries.ts`. */
import { type Placeholder, query } from '../../../db/query.ts'
import type { CommentRow, DependencyRow, WorkspaceRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'

const setLastNumber = query((db, p: Placeholder<{ last_number: number; realm: number; id: string }>) =>
  db
    .updateTable('workspaces')
    .set({ last_number: p('last_number') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/**
 * Takes the next `count` task numbers of a workspace and returns the first. The row must have been read in this
 * transaction: writes of an organization are serial, so no other transaction takes the same numbers.
 */
export function takeNumbers(tx: Tx, workspace: WorkspaceRow, count: number): number {
  const { realm, id, last_number } = workspace
  tx.write(setLastNumber, { realm, id, last_number: last_number + count })
  return last_number + 1
}

/** A task's live dependencies in both directions, oldest first. */
export const dependenciesOf = query<DependencyRow, { realm: number; task: string }>((db, p) =>
  db
    .selectFrom('dependencies')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .where((or) => or.or([or('from', '=', p('task')), or('to', '=', p('task'))]))
    .orderBy('id'),
)

/** A task's live comments, oldest first. */
export const commentsOf = query<CommentRow, { realm: number; task: string }>((db, p) =>
  db
    .selectFrom('comments')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('task', '=', p('task'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)
