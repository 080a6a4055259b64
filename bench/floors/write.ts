/** The write job on SQLite: idempotency lookup, then task, event, audit and idempotency rows. The caller owns the transaction. */
import type { DatabaseSync } from 'node:sqlite'
import { columns, newId, newRow, type Row, show, type Value, type Write, type Written } from './common.ts'

export function makeWriter(database: DatabaseSync): (write: Write) => Written {
  const findKept = database.prepare('select fp, status, body from idem where org=? and k=?')
  const findTask = database.prepare(`select ${columns} from tasks where id=? and org=?`)
  const addTask = database.prepare(`insert into tasks(${columns}) values(${columns.map(() => '?')})`)
  const changeTask = database.prepare(
    'update tasks set title=?, description=?, status=?, priority=?, assignee=?, due_at=?, updated=?, revision=revision+1 where id=? and org=?',
  )
  const addEvent = database.prepare('insert into events values(?,?,?,?,?)')
  const addAudit = database.prepare('insert into audit values(?,?,?,?,?,?)')
  const keep = database.prepare('insert into idem values(?,?,?,?,?,?)')

  return ({ org, key, fingerprint, body: sent, id }) => {
    const kept = findKept.get(org, key) as { fp: string; status: number; body: string } | undefined
    if (kept !== undefined) return kept.fp === fingerprint ? kept : { status: 409, body: '{}' }
    const now = (Date.now() / 1000) | 0
    let row: Row
    if (id !== undefined) {
      const found = findTask.get(id, org) as Row | undefined
      if (found === undefined) return { status: 404, body: '{}' }
      row = { ...found, ...(sent as Partial<Row>), updated: now, revision: (found.revision as number) + 1 }
      changeTask.run(row.title, row.description, row.status, row.priority, row.assignee, row.due_at, now, id, org)
    } else {
      row = newRow(sent, now)
      addTask.run(...(columns.map((column) => row[column]) as Value[]))
    }
    const body = JSON.stringify(show(row))
    const status = id === undefined ? 201 : 200
    const verb = id === undefined ? 'created' : 'updated'
    addEvent.run(newId('evt'), org, `workflow.task.${verb}`, now, body)
    addAudit.run(newId('aud'), org, 'key_1', `task.${verb}`, row.id, now)
    keep.run(org, key, fingerprint, status, body, now)
    return { status, body }
  }
}
