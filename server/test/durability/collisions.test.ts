/**
 * Errors of PostgreSQL in the middle of a write: collisions are retried unnoticed, shortages are 503, nothing is left
 * half done.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { db_limits } from '../../src/db/limits.ts'
import { openWorld, type World } from '../world.ts'
import { assertSound } from './soundness.ts'

describe('A write on PostgreSQL', () => {
  let world: World
  let admin: pg.Client
  let workspace: { id: string }

  before(async () => {
    world = await openWorld('postgres')
    admin = new pg.Client(world.database.url)
    await admin.connect()
    workspace = await world.make('/v1/workspaces', { title: 'Collisions' })
    await admin.query(faults)
  })
  after(async () => {
    await admin.end()
    await world.close()
  })

  /** The next statements on tasks, or the next commits, fail with these codes. */
  async function fail(when: 'statement' | 'commit', codes: readonly string[]): Promise<void> {
    await admin.query(`drop trigger if exists fault on tasks`)
    await admin.query(`select setval('fault_number', 1, false)`)
    await admin.query(`truncate faults`)
    await admin.query(`insert into faults select * from unnest($1::text[]) with ordinality`, [codes])
    const deferred = when === 'commit' ? 'deferrable initially deferred' : ''
    await admin.query(
      `create constraint trigger fault after insert on tasks ${deferred} for each row execute function fault()`,
    )
  }

  const postTask = (title: string) => world.post('/v1/tasks', { workspace: workspace.id, title })

  async function assertWritten(titles: readonly string[]): Promise<void> {
    await world.assertWritten({
      events: titles.map(() => 'workflow.task.created'),
      audit: titles.map(() => 'tasks.create'),
    })
    await world.services.store.snapshot('system', (reader) => assertSound(reader, world.acme.id))
  }

  /** New sessions look for deadlocks after 50 ms instead of a second, so the retries do not wait. */
  async function noticeDeadlocksSoon(): Promise<void> {
    const { rows } = await admin.query('select current_database() as name')
    await admin.query(`alter database ${rows[0].name} set deadlock_timeout = '50ms'`)
    await admin.query(endSessions)
    while ((await postTask('Of a new session')).status !== 200);
  }

  for (const when of ['statement', 'commit'] as const) {
    for (const [name, code] of [
      ['a serialization failure', '40001'],
      ['a deadlock', '40P01'],
    ] as const) {
      it(`is retried unnoticed after ${name} at its ${when}, for all jobs of the transaction`, async () => {
        await world.markWritten()
        await fail(when, [code, code])
        const titles = ['one', 'two', 'three']
        const replies = await Promise.all(titles.map(postTask))
        assert.deepEqual(
          replies.map((reply) => reply.status),
          [200, 200, 200],
        )
        await assertWritten(titles)
      })
    }

    for (const [name, code] of [
      ['the disk is full', '53100'],
      ['memory runs out', '53200'],
      ['a statement takes too long', '57014'],
      ['a lock is not available', '55P03'],
      ['a file cannot be read', '58030'],
    ] as const) {
      it(`is refused with 503 when ${name} at its ${when}, and accepted the next time`, async () => {
        await world.markWritten()
        await fail(when, [code])
        const key = { idempotencyKey: `${when}-${code}` }
        const refused = await world.post('/v1/tasks', { workspace: workspace.id, title: 'Soon' }, key)
        assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1'])
        assert.equal(refused.body.error.code, 'rate_limit_unavailable')
        await assertWritten([])
        const again = await world.post('/v1/tasks', { workspace: workspace.id, title: 'Soon' }, key)
        assert.deepEqual([again.status, again.headers['idempotent-replayed']], [200, undefined])
        await assertWritten(['Soon'])
      })
    }
  }

  it('that the database refuses because of a program fault fails no other write', async () => {
    await world.markWritten()
    await fail('statement', [])
    await admin.query(`alter table tasks add constraint wrong check (title <> 'wrong')`)
    const titles = ['one', 'wrong', 'two', 'wrong', 'three']
    const replies = await Promise.all(titles.map(postTask))
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [200, 500, 200, 500, 200],
    )
    await assertWritten(['one', 'two', 'three'])
  })

  it('in a deadlock with another session is retried once that session has its locks', async () => {
    await fail('statement', [])
    await noticeDeadlocksSoon()
    await world.markWritten()
    const other = new pg.Client(world.database.url)
    await other.connect()
    await other.query(`set deadlock_timeout = '1min'`) // never the victim: the server's session is the one that is refused
    await other.query('begin')
    await other.query('select 1 from workspaces where id = $1 for update', [workspace.id])
    const posted = postTask('Later')
    await waitFor(
      admin,
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    await other.query('select 1 from audit_heads where organization = $1 for update', [world.acme.id])
    await other.query('commit')
    await other.end()
    assert.equal((await posted).status, 200)
    await assertWritten(['Later'])
  })

  it('that waits for a lock longer than the limit is refused with 503, and later writes succeed', async () => {
    await world.markWritten()
    const other = new pg.Client(world.database.url)
    await other.connect()
    await other.query('begin')
    await other.query('select 1 from audit_heads where organization = $1 for update', [world.acme.id])
    const refused = await Promise.all([postTask('one'), postTask('two')])
    await other.query('rollback')
    await other.end()
    assert.deepEqual(
      refused.map((reply) => reply.status),
      [503, 503],
    )
    assert.equal((await postTask('three')).status, 200)
    await assertWritten(['three'])
    assert.ok(db_limits.database_wait_ms <= 5000)
  })

  it('succeeds after another process has changed the tables of its prepared statements', async () => {
    const read = () => Promise.all(Array.from({ length: 8 }, () => world.get(`/v1/workspaces/${workspace.id}`)))
    await read()
    await admin.query('alter table workspaces add column later text')
    for (const reply of await read()) assert.equal(reply.status, 200)
    const renamed = await world.patch(`/v1/workspaces/${workspace.id}`, { title: 'Renamed' })
    assert.equal(renamed.status, 200)
  })

  it('survives the end of all its database sessions', async () => {
    for (let i = 0; i < 5; i++) {
      const replies = Promise.all(Array.from({ length: 8 }, (_, n) => postTask(`Task ${i} ${n}`)))
      await admin.query(endSessions)
      for (const reply of await replies) assert.ok(reply.status === 200 || reply.status === 503, reply.text)
    }
    assert.equal((await postTask('After')).status, 200)
    await world.services.store.snapshot('system', (reader) => assertSound(reader, world.acme.id))
  })
})

const endSessions = `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'atrium%' and datname = current_database()`

/**
 * Raises the errors in `faults` one after the other; a sequence keeps counting even if the transaction is rolled back.
 */
const faults = `
  create sequence fault_number;
  create table faults (code text, number bigint primary key);
  grant select on faults to public;
  grant usage on sequence fault_number to public;
  create function fault() returns trigger language plpgsql as $$
    declare found text; turn bigint;
    begin
      select nextval('fault_number') into turn;
      select code into found from faults where number = turn;
      if found is not null then raise exception 'injected' using errcode = found; end if;
      return null;
    end $$;`

async function waitFor(client: pg.Client, question: string): Promise<void> {
  while ((await client.query(question)).rowCount === 0) await new Promise(setImmediate)
}
