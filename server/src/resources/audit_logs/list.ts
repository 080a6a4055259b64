import { listOperation } from '../../api/declare/operation.ts'
import { listParameter, secondsParameter } from '../../api/declare/parameters.ts'
import { listByCursor } from '../../api/request/page.ts'
import { roomsOf } from '../boards/shared/queries.ts'
import { auditEntryNoun } from './audit_entry.ts'
import { readEntries } from './queries.ts'

/** Lists the changes in the credential's mode with their authors, newest first. Times are exclusive. */
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
    action: listParameter('Only these actions, such as `tasks.update` or `api_keys.create`.'),
    actor: listParameter('Only changes by these credentials, users or flows, by id.'),
    target: listParameter('Only changes of these objects, by id.'),
    room: listParameter('Only changes of these boards, by id or legacy room id.'),
    created_after: secondsParameter('Only entries after this time in Unix seconds, exclusive.'),
    created_before: secondsParameter('Only entries before this time in Unix seconds, exclusive.'),
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
