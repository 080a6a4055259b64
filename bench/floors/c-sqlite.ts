/**
 * The SQLite floor: Fastify and hand-written SQL for GET, list, POST and PATCH of tasks. Writes of one event loop turn share a
 * commit with `synchronous=FULL`, each in a savepoint. Environment: DB, PORT.
 */
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import {
  type Body,
  type Credential,
  columns,
  known,
  listBody,
  listTag,
  openSqlite,
  type Row,
  remember,
  sha256,
  show,
  type Write,
  type Written,
  workspace,
} from './common.ts'
import { makeWriter } from './write.ts'

const database = openSqlite(process.env.DB as string, 'FULL')
const findKey = database.prepare('select org, scopes from keys where hash=?')
const findTask = database.prepare(`select ${columns} from tasks where id=? and org=?`)
const listTasks = database.prepare(
  `select ${columns} from tasks where org=? and workspace=? and id>? order by id limit 20`,
)
const write = makeWriter(database)

function authenticate(authorization: string | undefined): Credential | null {
  const { digest, credential } = known(authorization)
  return credential === undefined ? remember(digest, findKey.get(digest) as Credential | undefined) : credential
}

type Done = (written: Written) => void
let queue: [Write, Done][] = []

function flush(): void {
  const batch = queue
  queue = []
  database.exec('begin immediate')
  const results = batch.map(([job]) => {
    database.exec('savepoint s')
    try {
      const written = write(job)
      database.exec('release s')
      return written
    } catch {
      database.exec('rollback to s; release s')
      return { status: 500, body: '{}' }
    }
  })
  database.exec('commit')
  batch.forEach(([, done], i) => {
    done(results[i] as Written)
  })
}

const app = Fastify({ logger: false })
app.get('/v1/tasks/:id', (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
  const credential = authenticate(request.headers.authorization)
  if (credential === null) return reply.code(401).send()
  const row = findTask.get(request.params.id, credential.org) as Row | undefined
  if (row === undefined) return reply.code(404).send()
  const body = JSON.stringify(show(row))
  const tag = `"${row.id}.${row.revision}"`
  if (request.headers['if-none-match'] === tag) return reply.code(304).header('etag', tag).send()
  reply.header('etag', tag).type('application/json').send(body)
})
app.get('/v1/tasks', (request: FastifyRequest<{ Querystring: { starting_after?: string } }>, reply) => {
  const credential = authenticate(request.headers.authorization)
  if (credential === null) return reply.code(401).send()
  const rows = listTasks.all(credential.org, workspace, request.query.starting_after ?? '') as Row[]
  const body = listBody(rows)
  reply.header('etag', listTag(body)).type('application/json').send(body)
})

function onWrite(request: FastifyRequest<{ Params: { id?: string } }>, reply: FastifyReply): void {
  const credential = authenticate(request.headers.authorization)
  const key = request.headers['idempotency-key'] as string | undefined
  if (credential === null || key === undefined) return void reply.code(credential === null ? 401 : 400).send()
  const body = request.body as Body
  const fingerprint = sha256(JSON.stringify(body))
  queue.push([
    { org: credential.org, key, fingerprint, body, id: request.params.id },
    (written) => reply.code(written.status).type('application/json').send(written.body),
  ])
  if (queue.length === 1) setImmediate(flush)
}
app.post('/v1/tasks', onWrite)
app.patch('/v1/tasks/:id', onWrite)
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
console.log('ready')
