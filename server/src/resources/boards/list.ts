import { listOperation } from '../../api/declare/operation.ts'
import { booleanParameter, idParameter } from '../../api/declare/parameters.ts'
import { listByCursor } from '../../api/request/page.ts'
import { projectNoun } from '../projects/project.ts'
import { boardNoun } from './board.ts'
import { readBoards } from './shared/queries.ts'

/** Lists boards with the state of their snapshots, newest first; archived ones only on request. */
export const listBoards = listOperation({
  id: 'boards.list',
  method: 'GET',
  path: '/v1/boards',
  summary: 'List boards',
  scope: 'boards:read',
  credits: 5,
  paging: 'opaque',
  lists: boardNoun,
  query: {
    include_archived: booleanParameter('Whether to list archived boards too; false by default.'),
    project: idParameter('Only boards attached to this project.', projectNoun),
  },
  handle(context) {
    const { caller, reader, operation, query } = context
    const include_archived = query.include_archived ?? false
    const { project } = query
    const seen = caller.guest === null ? undefined : [...caller.guest.projects]
    return listByCursor(context, {
      binding: { operation: operation.id, realm: caller.realm, filters: { include_archived, project } },
      read: (position, count) =>
        readBoards(
          reader,
          caller.realm,
          { include_archived, project, seen },
          position?.[0] as string | undefined,
          count,
        ),
      show: boardNoun.show,
      positionOf: (row) => [row.id],
    })
  },
})
