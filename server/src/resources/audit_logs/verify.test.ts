import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { sql } from 'kysely'
import { onEveryServersWorld } from '../../../test/world.ts'
import { Refusal } from '../../api/declare/errors.ts'
import { rawQuery } from '../../db/query.ts'
import { type AuditVerdict, verifyAudit } from './verify.ts'

onEveryServersWorld('verifying the audit log', (world) => {
  before(async () => {
    for (let i = 0; i < 4; i++) {
      await world.make('/v1/workspaces', { title: `Live ${i}` })
      await world.make('/v1/workspaces', { title: `Test ${i}` }, { key: world.acme.testKey })
    }
    await world.make('/v1/workspaces', { title: 'Theirs' }, { key: world.globex.key })
  })

  /** The verdict after the statements, which are undone. */
  async function afterwards(...statements: string[]): Promise<AuditVerdict> {
    const organization = world.acme.id
    const run = (texts: readonly string[]) =>
      world.services.store.write('system', async (tx) => {
        for (const text of texts) await tx.run(rawQuery(() => sql.raw(text.replaceAll('$O', `'${organization}'`))))
      })
    await run([
      'create table kept_entries as select * from audit_entries',
      'create table kept_heads as select * from audit_heads',
    ])
    try {
      await run(statements)
      return await verifyAudit(world.services.store, organization)
    } finally {
      await run([
        'delete from audit_entries',
        'insert into audit_entries select * from kept_entries',
        'delete from audit_heads',
        'insert into audit_heads select * from kept_heads',
        'drop table kept_entries',
        'drop table kept_heads',
      ])
    }
  }
  const found = (verdict: AuditVerdict) =>
    verdict.ok ? 'ok' : [verdict.sequence, verdict.problem, verdict.id !== null]

  it('an unchanged log is valid, for one organization and for all', async () => {
    assert.deepEqual(await verifyAudit(world.services.store, world.acme.id), { ok: true, entries: 8 })
    assert.deepEqual(await verifyAudit(world.services.store), { ok: true, entries: 9 })
  })

  it('a changed text, time, realm, filter column or hash is reported as changed', async () => {
    for (const change of [
      `entry = replace(entry, 'workspaces.create', 'workspaces.update')`,
      'created = created + 1',
      'realm = realm + 1',
      `action = 'workspaces.update'`,
      `actor = 'key_other'`,
      `target = 'wsp_other'`,
      `room = 'abc'`,
      `hash = '${'0'.repeat(64)}'`,
      `previous_hash = '${'0'.repeat(64)}'`,
    ]) {
      const verdict = await afterwards(`update audit_entries set ${change} where organization = $O and sequence = 3`)
      assert.deepEqual(found(verdict), [3, 'changed', true], change)
    }
  })

  it('a removed entry is reported as missing: the first, one in between, the last, or all', async () => {
    for (const [where, sequence] of [
      ['sequence = 1', 1],
      ['sequence in (4, 5)', 4],
      ['sequence = 8', 8],
      ['sequence > 0', 1],
    ]) {
      const verdict = await afterwards(`delete from audit_entries where organization = $O and ${where}`)
      assert.deepEqual(found(verdict), [sequence, 'missing', false])
    }
  })

  it('a removed head and a head that was set back are reported', async () => {
    assert.deepEqual(found(await afterwards('delete from audit_heads where organization = $O')), [1, 'missing', false])
    const back = `update audit_heads set sequence = 6 where organization = $O`
    assert.deepEqual(found(await afterwards(back)), [6, 'changed', true])
  })

  it('swapped entries are reported as reordered', async () => {
    const verdict = await afterwards(
      'update audit_entries set sequence = -1 where organization = $O and sequence = 3',
      'update audit_entries set sequence = 3 where organization = $O and sequence = 5',
      'update audit_entries set sequence = 5 where organization = $O and sequence = -1',
    )
    assert.deepEqual(found(verdict), [3, 'reordered', true])
  })

  it('an entry after the head is reported as unexpected', async () => {
    const verdict = await afterwards(
      `update audit_heads set sequence = 7, hash = (select hash from audit_entries where organization = $O and sequence = 7)
       where organization = $O`,
    )
    assert.deepEqual(found(verdict), [8, 'unexpected', true])
  })

  it('the first wrong organization is named, and an unknown one is refused', async () => {
    const verdict = await afterwards(`update audit_entries set action = 'x' where organization = $O and sequence = 2`)
    assert.equal(verdict.ok, false)
    assert.equal(!verdict.ok && verdict.organization, world.acme.id)
    assert.match((!verdict.ok && verdict.message) || '', /^Entry 2 is changed: /)
    await assert.rejects(verifyAudit(world.services.store, 'org_none'), Refusal)
  })
})
