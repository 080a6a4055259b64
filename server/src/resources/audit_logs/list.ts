import { listOperation } from '../../api/declare/operation.ts'
import { listParameter, secondsParameter } from '../../api/declare/parameters.ts'
import { listByCursor } from '../../api/request/page.ts'
import { roomsOf } from '../boards/shared/queries.ts'
import { auditEntryNoun } from './audit_entry.ts'
import { readEntries } from './queries.ts'

/** Lists what was changed in the caller's realm and by whom, newest first; the times are exclusive. */
export const listAuditLogs = listOperation({
  id: 'audit_logs.list',
  method: 'GET',
  path: '/v1/audit_logs',
  summary: 'List audit entries',
  scope: 'api:read',
  credits: 5,
  paging: 'opaque',
  lists: auditEntryNoun,
  query: {
    action: listParameter('What was done: `tasks.update`, `api_keys.create`.'),
    actor: listParameter('The id of the credential or user that did it.'),
    target: listParameter('The id of the changed object.'),
    room: listParameter('The board, by its id or legacy room id.'),
    created_after: secondsParameter('Unix seconds; only later entries.'),
    created_before: secondsParameter('Unix seconds; only earlier entries.'),
  },
  handle(context) {
    const { caller, reader, operation } = context
    const { limit: _limit, cursor: _cursor, ...filters } = context.query
    return listByCursor(context, {
      binding: { operation: operation.id, realm: caller.realm, filters },
      async read(position, count) {
        const room = await roomsOf(reader, caller, filters.room)
        return await readEntries(reader, caller, { ...filters, room }, position?.[0] as number | undefined, count)
      },
      show: auditEntryNoun.show,
      positionOf: (row) => [row.sequence],
    })
  },
})
