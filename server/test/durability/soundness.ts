/** Invariants of a database at any moment, and what it must contain after writes were answered. */
import assert from 'node:assert/strict'
import { auditHash } from '../../src/api/write/audit.ts'
import { storedAnswer } from '../../src/api/write/idempotency.ts'
import { openStore } from '../../src/db/open.ts'
import { type Placeholder, query } from '../../src/db/query.ts'
import type { Reader } from '../../src/db/store.ts'
import { call } from '../call.ts'
import type { Installation } from './installation.ts'
import type { Answered } from './writers.ts'

const allEvents = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('organization', '=', p('organization'))
    .orderBy('realm')
    .orderBy('sequence'),
)
const allAudit = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('audit_entries').selectAll().where('organization', '=', p('organization')).orderBy('sequence'),
)
const auditHead = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('audit_heads').selectAll().where('organization', '=', p('organization')),
)
const allRealms = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('realms')
    .innerJoin('event_heads', 'event_heads.realm', 'realms.realm')
    .select(['realms.realm', 'event_heads.sequence'])
    .where('realms.organization', '=', p('organization')),
)
const allTasks = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('tasks').select(['id', 'title', 'number', 'workspace']).where('realm', '=', p('realm')),
)
const allRecords = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('idempotency').select(['realm', 'key', 'status', 'sealed', 'body']).where('realm', '=', p('realm')),
)

/** Reads the database while other processes serve it. */
export async function reading<T>(url: string, read: (reader: Reader) => Promise<T>): Promise<T> {
  const store = await openStore(url)
  try {
    return await store.snapshot('system', read)
  } finally {
    await store.close()
  }
}

/** The logs of an organization are complete: sequences without gaps, whole commits, an unbroken audit chain. */
export async function assertSound(reader: Reader, organization: string): Promise<void> {
  const realms = await reader.all(allRealms, { organization })
  const events = await reader.all(allEvents, { organization })
  for (const { realm, sequence } of realms) {
    const ofRealm = events.filter((event) => event.realm === realm)
    assert.deepEqual(
      ofRealm.map((event) => event.sequence),
      counted(sequence),
      'event sequences',
    )
    ofRealm.forEach((event, i) => {
      const first = ofRealm[i - event.commit_index]
      assert.equal(first?.commit_id, event.commit_id, 'the events of a commit are adjacent')
      if (event.commit_index === event.commit_size - 1) assert.notEqual(ofRealm[i + 1]?.commit_id, event.commit_id)
      else assert.equal(ofRealm[i + 1]?.commit_id, event.commit_id, 'a commit has all its events')
    })
  }
  const audit = await reader.all(allAudit, { organization })
  assert.deepEqual(
    audit.map((entry) => entry.sequence),
    counted(audit.length),
    'audit sequences',
  )
  let previous = ''
  for (const entry of audit) {
    assert.equal(entry.previous_hash, previous, `audit entry ${entry.sequence} follows another`)
    assert.equal(entry.hash, auditHash(entry), `audit entry ${entry.sequence} was changed`)
    previous = entry.hash
  }
  const head = await reader.first(auditHead, { organization })
  assert.deepEqual([head?.sequence, head?.hash], [audit.length, previous], 'the head is the last entry')
}

function counted(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1)
}

/**
 * Every task that a client was answered exists once, with one event, one audit entry and one idempotency record; no
 * other task exists.
 */
export async function assertTasksAre(
  reader: Reader,
  { organization, realms }: Installation,
  answered: readonly Answered[],
): Promise<void> {
  const byId = new Map(answered.map(({ text }) => [JSON.parse(text).id as string, JSON.parse(text)]))
  assert.equal(byId.size, answered.length, 'no two writes were answered with the same task')
  const realm = realms.live
  const tasks = await reader.all(allTasks, { realm })
  for (const { id, title, number } of tasks) {
    assert.deepEqual([byId.get(id)?.title, byId.get(id)?.number], [title, number], `task ${id} is as it was answered`)
  }
  assert.equal(tasks.length, byId.size, 'nothing answered is lost, and nothing else exists')
  assert.deepEqual(sorted(tasks.map((task) => task.number)), counted(tasks.length), 'numbers without gaps')
  const ids = [...byId.keys()].sort()
  const events = (await reader.all(allEvents, { organization })).filter(
    (event) => event.type === 'workflow.task.created',
  )
  assert.deepEqual(events.map((event) => event.object_id).sort(), ids, 'one event per task')
  const audit = (await reader.all(allAudit, { organization })).filter((entry) => entry.action === 'tasks.create')
  assert.deepEqual(audit.map((entry) => entry.target).sort(), ids, 'one audit entry per task')
  const records = await reader.all(allRecords, { realm })
  const kept = new Map(
    await Promise.all(records.map(async (record) => [record.key, await storedAnswer(reader, record)] as const)),
  )
  for (const { idempotencyKey, text } of answered) assert.equal(kept.get(idempotencyKey), text)
}

function sorted(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => a - b)
}

/** Each write that is sent again gets its first answer, byte for byte. */
export async function assertReplays(url: string, key: string, answered: readonly Answered[]): Promise<void> {
  const left = [...answered]
  const ask = async () => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const { method = 'POST', path, body, idempotencyKey, text } = one
      const reply = await call(url, method, path, { key, body, idempotencyKey })
      assert.deepEqual([reply.status, reply.headers['idempotent-replayed'], reply.text], [200, 'true', text])
    }
  }
  await Promise.all(Array.from({ length: 8 }, ask))
}
