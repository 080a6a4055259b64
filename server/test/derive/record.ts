/**
 * Records `docs/examples.json`: calls the example of every operation in a world whose clock is stopped, reads first, because
 * writes add objects. Random parts are replaced (`placeholders.ts`), so two recordings of the same program are equal.
 * `npm run generate` runs it.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Operation } from '../../src/api/declare/operation.ts'
import { etagOf } from '../../src/api/request/conditional.ts'
import { catalogue } from '../../src/catalogue.ts'
import type { RecordedExample, RecordedExamples } from '../../src/derive/examples.ts'
import { jsonText } from '../../src/derive/json-text.ts'
import { instructions, populate, sendCall, type Things } from '../things.ts'
import { openWorld, type World } from '../world.ts'
import { Placeholders } from './placeholders.ts'

export const examples_file = join(import.meta.dirname, '../../../docs/examples.json')

/** Calls every example. */
export async function recordExamples(): Promise<RecordedExamples> {
  const world = await openWorld('sqlite', { environment: { ATRIUM_CREDITS_PER_MINUTE: '1000000' } })
  try {
    const things = await populate(world)
    const placeholders = new Placeholders(world.server.url, namesOf(world, things))
    const recorded = new Map<string, RecordedExample>()
    for (const operation of [...catalogue].sort((a, b) => Number(a.kind === 'write') - Number(b.kind === 'write'))) {
      recorded.set(operation.id, withOwnEtag(placeholders.replace(await record(operation, things), operation.id)))
    }
    const events = Object.entries(await latestEvents(things)).map(([type, event]) => [
      type,
      placeholders.replace(event, type),
    ])
    return {
      operations: Object.fromEntries(catalogue.map(({ id }) => [id, recorded.get(id) as RecordedExample])),
      events: Object.fromEntries(events),
    }
  } finally {
    await world.close()
  }
}

/** The name of each object in the world, by id. */
function namesOf(world: World, things: Things): Map<string, string> {
  const names = new Map([[world.acme.keyId, 'credential']])
  for (const [name, id] of Object.entries(things.ids)) if (!names.has(id)) names.set(id, name)
  return names
}

/** Calls one example. A list is limited to two objects, enough to show its shape. */
async function record(operation: Operation, things: Things): Promise<RecordedExample> {
  const valid = await things.call(operation)
  const short: Record<string, string> = operation.kind === 'list' ? { limit: '2' } : {}
  const call = { ...valid, query: { ...short, ...valid.query } }
  const writes = operation.kind === 'write'
  const key = `example-${operation.id.replaceAll(/[._]/g, '-')}`
  const reply = await sendCall(things, call, writes ? { idempotencyKey: key } : {})
  assert.equal(reply.status, 200, `${operation.id}: ${reply.text}\n${instructions}`)
  const { params, query, body } = call
  return {
    request: {
      params,
      query,
      ...(body === undefined ? {} : { body }),
      ...(writes ? { idempotency_key: key } : {}),
    },
    response: {
      status: reply.status,
      ...(reply.headers.etag === undefined ? {} : { etag: reply.headers.etag }),
      ...(operation.streams ? { text: reply.text } : { body: reply.body }),
    },
  }
}

/** The latest event of each type. */
async function latestEvents(things: Things): Promise<Record<string, object>> {
  const found: Record<string, object> = {}
  let cursor: string | null = null
  do {
    const path: string = `/v1/events?limit=100${cursor === null ? '' : `&cursor=${cursor}`}`
    const { body } = await things.send('GET', path)
    for (const event of body.data) found[event.type] ??= event
    cursor = body.next_cursor
  } while (cursor !== null)
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Computes the ETag again, because replacing random parts changed the body. */
function withOwnEtag({ request, response }: RecordedExample): RecordedExample {
  const { etag, body } = response
  if (etag === undefined || body === undefined) return { request, response }
  const revision = /^"(\d+)-/.exec(etag)?.[1]
  const own = etagOf(JSON.stringify(body), revision === undefined ? undefined : Number(revision))
  return { request, response: { ...response, etag: own } }
}

// No top-level await: files that read the examples share a process by `require`.
if (import.meta.main) void recordExamples().then((examples) => writeFileSync(examples_file, `${jsonText(examples)}\n`))
