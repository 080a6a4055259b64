/** A mail starts one run of its flow, whatever kills the process that receives it (contract/16#received-mail). */
import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { call, type Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'
import { sendMail } from '../send-mail.ts'
import { install, makeWorkspace } from './installation.ts'
import type { Point } from './mortal.ts'
import { endProcesses, serve } from './processes.ts'
import { run } from './programs.ts'
import { assertSound, reading } from './soundness.ts'

const graph = {
  schema_version: 6,
  nodes: [
    { id: 'received', type: 'trigger.mail', config: {} },
    { id: 'file', type: 'task.create', config: { set: { title: { $expr: 'mail.subject' } } } },
  ],
  edges: [{ source: 'received', target: 'file' }],
}

const inbound = {
  ATRIUM_SMTP_URL: 'smtp://127.0.0.1:9',
  ATRIUM_MAIL_FROM: 'atrium@acme.example',
  ATRIUM_INBOUND_MAIL: 'smtp://127.0.0.1:0?domain=in.acme.example',
}

/** Activates a flow that mail starts. Returns its address. */
async function openMailbox(url: string, key: string, workspace: string): Promise<string> {
  const make = async (path: string, body: object) => {
    const reply = await call(url, 'POST', path, { key, body })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  const task = (await make('/v1/tasks', { workspace, title: 'Subject' })).id
  const flow = (await make('/v1/automation_flows', { workspace, name: 'Take mail', graph })).id
  const { preview_token } = await make(`/v1/automation_flows/${flow}/preview`, { workspace, task })
  await make(`/v1/automation_flows/${flow}/activate`, { workspace, preview_token, scope_acknowledged: true })
  return (await call(url, 'GET', `/v1/automation_flows/${flow}/mailbox`, { key })).body.address
}

const points: readonly Point[] = ['before', 'inside', 'behind']

onEveryEngine('Mail to a flow whose receiver is killed', (engine) => {
  afterEach(() => endProcesses())

  it(`at each of the points ${points.join(', ')} starts a whole run or none, and the mail that is sent again then has one`, async () => {
    const database = await migratedDatabase(engine)
    try {
      const { environment, key, organization } = await install(database.url, database.folder, inbound)
      const first = await serve(environment)
      const workspace = await makeWorkspace(first.url, key)
      const to = await openMailbox(first.url, key, workspace)
      await first.stop()
      const runsNow = async (): Promise<Reply['body'][]> => {
        const server = await serve(environment)
        const { body } = await call(server.url, 'GET', `/v1/automation_runs?workspace=${workspace}`, { key })
        await server.stop()
        return body.data
      }
      let before = 0
      for (const point of points) {
        const mail = { to, subject: point, messageId: `<${point}@navy.example>` }
        const receiver = (dies: Point | null) =>
          run('mail-receiver.ts', JSON.stringify({ environment, point: dies, times: 1 }))
        const doomed = receiver(point)
        await assert.rejects(sendMail(Number(await doomed.line()), mail))
        await doomed.end()
        assert.equal((await runsNow()).length, point === 'behind' ? before + 1 : before, point)
        const next = receiver(null)
        const port = Number(await next.line())
        assert.deepEqual([await sendMail(port, mail), await sendMail(port, mail)], ['250', '250'])
        await next.end()
        assert.equal((await runsNow()).length, ++before, point)
      }
      await reading(environment.ATRIUM_DATABASE_URL as string, (read) => assertSound(read, organization))
    } finally {
      await database.remove()
    }
  })
})
