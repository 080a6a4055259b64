/**
 * A mail.send step: each recipient gets one mail and the run continues once, whatever kills the process that executes it, and at
 * whatever point of its transaction (contract/16#mail).
 */
import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { query } from '../../src/db/query.ts'
import { newId } from '../../src/lib/ids.ts'
import { type RunningServer, startServer } from '../../src/main.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { addMember } from '../../src/resources/members/write.ts'
import { call } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'
import { fastClock, type Pace } from './fast-clock.ts'
import { install } from './installation.ts'
import type { Point } from './mortal.ts'
import { endProcesses } from './processes.ts'
import { run as runProgram } from './programs.ts'
import { assertSound, reading } from './soundness.ts'

/** The claim, and the step behind it; then the step that the dead process left to the next one. */
const deaths: readonly (readonly [Point, number])[] = [
  ['inside', 1],
  ['behind', 1],
  ['inside', 2],
  ['behind', 2],
]

const letters = query((db) => db.selectFrom('mails').select(['user', 'kind', 'status']).orderBy('user'))

/** A member who can sign in, so that mail reaches the person. */
async function arrive({ services }: RunningServer, organization: string, name: string): Promise<string> {
  const email = `${name}@acme.example`
  const { user } = await addMember(services, organization, { email })
  const now = services.clock.now()
  const account = newId('acc', now)
  const times = { created: now, updated: now }
  await services.store.write('system', async (tx) => {
    const password = { password_hash: 'none', password_changed_at: 0, email_proved_at: null }
    tx.insert('accounts', { id: account, email, ...password, ...times })
    tx.insert('account_memberships', { organization, account, user, role: 'member', ...times })
  })
  return user
}

onEveryEngine('A mail.send step whose processes are killed', (engine) => {
  afterEach(() => endProcesses())

  it('mails each recipient once, and the run goes on once', async () => {
    const database = await migratedDatabase(engine)
    const pace: Pace = { begun: Date.now(), rate: 50 }
    const more = { ATRIUM_SMTP_URL: 'smtp://127.0.0.1:9', ATRIUM_MAIL_FROM: 'atrium@acme.example' }
    const { environment, key, organization } = await install(database.url, database.folder, more)
    try {
      const server = await startServer(readConfig(environment), { clock: fastClock(pace) })
      const make = async (path: string, body: object) => {
        const reply = await call(server.url, 'POST', path, { key, body })
        assert.equal(reply.status, 200, reply.text)
        return reply.body
      }
      const people = [await arrive(server, organization, 'eve'), await arrive(server, organization, 'fred')]
      const workspace = (await make('/v1/workspaces', { title: 'Durable' })).id as string
      const task = (await make('/v1/tasks', { workspace, title: 'Subject' })).id as string
      const graph = {
        schema_version: 4,
        nodes: [
          { id: 'by_hand', type: 'trigger.manual', config: {} },
          { id: 'mail', type: 'mail.send', config: { to: people, subject: 'News', text: 'Hello' } },
          { id: 'say', type: 'task.comment', config: { body: 'Sent' } },
        ],
        edges: [
          { source: 'by_hand', target: 'mail' },
          { source: 'mail', target: 'say' },
        ],
      }
      const flow = (await make('/v1/automation_flows', { workspace, name: 'Mail', graph })).id as string
      const { preview_token } = await make(`/v1/automation_flows/${flow}/preview`, { workspace, task })
      await make(`/v1/automation_flows/${flow}/activate`, { workspace, preview_token, scope_acknowledged: true })
      const run = (await startByHand(server.services, flow, task)).id
      for (const [point, times] of deaths) {
        const doomed = runProgram('automations-worker.ts', JSON.stringify({ environment, pace, point, times }))
        assert.equal(await doomed.line(), 'ready')
        assert.equal(await doomed.line(), undefined, `it dies ${point} its transaction ${times}`)
        await doomed.end()
      }
      // The steps behind the mail; this one ends by itself.
      const last = runProgram('automations-worker.ts', JSON.stringify({ environment, pace, point: null, times: 0 }))
      assert.equal(await last.line(), 'ready')
      const get = async (path: string) => (await call(server.url, 'GET', path, { key })).body
      let ended = await get(`/v1/automation_runs/${run}?workspace=${workspace}`)
      while (ended.ended_at === null) ended = await get(`/v1/automation_runs/${run}?workspace=${workspace}`)
      await last.end()
      assert.deepEqual(
        [ended.status, ended.steps.map(({ node, status }: { node: string; status: string }) => [node, status])],
        [
          'succeeded',
          [
            ['mail', 'succeeded'],
            ['say', 'succeeded'],
          ],
        ],
      )
      assert.equal((await get(`/v1/tasks/${task}/comments?workspace=${workspace}`)).data.length, 1)
      await server.close()
      await reading(environment.ATRIUM_DATABASE_URL as string, async (read) => {
        await assertSound(read, organization)
        const stored = await read.all(letters)
        assert.deepEqual(
          stored.map(({ user, kind, status }) => [user, kind, status]),
          people.toSorted().map((user) => [user, 'letter', 'due']),
        )
      })
    } finally {
      await database.remove()
    }
  })
})
