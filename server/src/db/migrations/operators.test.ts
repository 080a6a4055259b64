import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { type Database, newDatabase, onEveryEngine } from '../../../test/engines.ts'
import { applyMigrations, migrate, migrations } from '../migrate.ts'
import { openStore } from '../open.ts'
import { definition, rawQuery } from '../query.ts'

const operators = rawQuery(
  () => sql<{ organization: string; user: string }>`select organization, "user" from operators`,
)

const rows = `
insert into organizations (organization, name, plan, domains, service_user, created, updated) values
  ('org_b', 'Later', 'studio', '[]', 'usr_x', 200, 200), ('org_a', 'First', 'studio', '[]', 'usr_y', 100, 100);
insert into members (organization, id, created, updated, "user", email, role, status) values
  ('org_b', 'mbr_0', 50, 50, 'usr_later', 'later@b.example', 'owner', 'active'),
  ('org_a', 'mbr_1', 101, 101, 'usr_left', 'left@a.example', 'owner', 'inactive'),
  ('org_a', 'mbr_2', 102, 102, 'usr_demoted', 'demoted@a.example', 'owner', 'active'),
  ('org_a', 'mbr_3', 103, 103, 'usr_owner', 'owner@a.example', 'Head of design', 'active'),
  ('org_a', 'mbr_4', 104, 104, 'usr_next', 'next@a.example', 'owner', 'active');
insert into account_memberships (organization, account, "user", role, created, updated) values
  ('org_a', 'acc_2', 'usr_demoted', 'member', 110, 110), ('org_a', 'acc_3', 'usr_owner', 'owner', 110, 110);
`

onEveryEngine('An existing installation', (engine) => {
  it('has the oldest organization’s active owner as its operator, and allows two accounts of one address', async () => {
    const database: Database = await newDatabase(engine)
    const store = await openStore(database.url)
    try {
      const earlier = migrations.map(({ name }) => name).filter((name) => name < '0013')
      await applyMigrations(store, earlier, 1000)
      await store.migrate(async (tx) => {
        for (const text of rows.split(';').filter((part) => part.trim() !== '')) tx.write(definition(text))
      })
      await migrate(store, 1000)
      const found = await store.reader('system').all(operators)
      assert.deepEqual(
        found.map(({ organization, user }) => [organization, user]),
        [['org_a', 'usr_owner']],
      )
      await store.write('system', async (tx) => {
        const times = { password_changed_at: 1, created: 1, updated: 1, email_proved_at: null }
        for (const id of ['acc_4', 'acc_5'])
          tx.insert('accounts', { id, email: 'a@a.example', password_hash: '', ...times })
      })
    } finally {
      await store.close()
      await database.remove()
    }
  })
})
