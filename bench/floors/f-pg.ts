/**
 * The PostgreSQL floor: the same jobs through `pg` with ten connections, named prepared statements, one round trip per
 * statement and one transaction per write. Environment: PGURL, PORT.
 */
import Fastify, { type FastifyRequest } from 'fastify'
import pg from 'pg'
import {
  type Body,
  type Credential,
  columns,
  known,
  listBody,
  listTag,
  newId,
  newRow,
  type Row,
  remember,
  sha256,
  show,
  type Value,
  type Written,
  workspace,
} from './common.ts'

pg.types.setTypeParser(20, Number)
const pool = new pg.Pool({ connectionString: process.env.PGURL, max: 10 })

const texts = {
  key: 'select org, scopes from keys where hash=$1',
  get: `select ${columns} from tasks where id=$1 and org=$2`,
  list: `select ${columns} from tasks where org=$1 and workspace=$2 and id>$3 order by id limit 20`,
  kept: 'select fp, status, body from idem where org=$1 and k=$2',
  task: `insert into tasks(${columns}) values(${columns.map((_, i) => `$${i + 1}`)})`,
  event: 'insert into events values($1,$2,$3,$4,$5)',
  audit: 'insert into audit values($1,$2,$3,$4,$5,$6)',
  keep: 'insert into idem values($1,$2,$3,$4,$5,$6)',
}

async function run<R>(on: pg.Pool | pg.PoolClient, name: keyof typeof texts, values: Value[]): Promise<R[]> {
  return (await on.query({ name, text: texts[name], values })).rows
}

async function authenticate(authorization: string | undefined): Promise<Credential> {
  const { digest, credential } = known(authorization)
  const found =
    credential === undefined ? remember(digest, (await run<Credential>(pool, 'key', [digest]))[0]) : credential
  if (found === null) throw new Error('unknown key')
  return found
}

async function write(org: string, key: string, fingerprint: string, sent: Body): Promise<Written> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    let written = (await run<Written>(client, 'kept', [org, key]))[0]
    if (written === undefined) {
      const now = (Date.now() / 1000) | 0
      const row = newRow(sent, now)
      const body = JSON.stringify(show(row))
      await run(
        client,
        'task',
        columns.map((column) => row[column]),
      )
      await run(client, 'event', [newId('evt'), org, 'workflow.task.created', now, body])
      await run(client, 'audit', [newId('aud'), org, 'key_1', 'task.create', row.id, now])
      await run(client, 'keep', [org, key, fingerprint, 201, body, now])
      written = { status: 201, body }
    }
    await client.query('commit')
    return written
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

const app = Fastify({ logger: false })
app.get('/v1/tasks/:id', async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
  const credential = await authenticate(request.headers.authorization)
  const row = (await run<Row>(pool, 'get', [request.params.id, credential.org]))[0]
  if (row === undefined) return reply.code(404).send()
  const tag = `"${row.id}.${row.revision}"`
  if (request.headers['if-none-match'] === tag) return reply.code(304).header('etag', tag).send()
  return reply
    .header('etag', tag)
    .type('application/json')
    .send(JSON.stringify(show(row)))
})
app.get('/v1/tasks', async (request: FastifyRequest<{ Querystring: { starting_after?: string } }>, reply) => {
  const credential = await authenticate(request.headers.authorization)
  const rows = await run<Row>(pool, 'list', [credential.org, workspace, request.query.starting_after ?? ''])
  const body = listBody(rows)
  return reply.header('etag', listTag(body)).type('application/json').send(body)
})
app.post('/v1/tasks', async (request, reply) => {
  const credential = await authenticate(request.headers.authorization)
  const key = request.headers['idempotency-key'] as string | undefined
  if (key === undefined) return reply.code(400).send()
  const body = request.body as Body
  const written = await write(credential.org, key, sha256(JSON.stringify(body)), body)
  return reply.code(written.status).type('application/json').send(written.body)
})
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
console.log('ready')
