/** Calls every operation of the catalogue through the SDK and checks the request that is sent. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { catalogue } from '../../../server/src/catalogue.ts'
import { type Call, callsOf } from '../../../server/src/derive/sdk/calls.ts'
import { onOneEngine } from '../../../server/test/engines.ts'
import { populate, type Things, type ValidCall } from '../../../server/test/things.ts'
import { openWorld, type World } from '../../../server/test/world.ts'
import { Atrium } from '../src/index.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'))
const calls = new Map(callsOf(document).map((call) => [call.id, call]))

interface Sent {
  readonly target: string
  readonly init: RequestInit
}

onOneEngine('the methods of the SDK', (engine) => {
  let world: World
  let things: Things
  let atrium: Atrium
  let sent: Sent[] = []
  before(async () => {
    world = await openWorld(engine)
    things = await populate(world)
    const recorded: typeof fetch = (url, init = {}) => {
      sent.push({ target: String(url).slice(world.server.url.length), init })
      return fetch(url, init)
    }
    atrium = new Atrium({ apiKey: world.acme.key, baseUrl: world.server.url, maxRetries: 0, fetch: recorded })
  })
  after(() => world.close())

  for (const operation of catalogue) {
    it(`call ${operation.id} as it is to be called`, async () => {
      const call = calls.get(operation.id)
      assert.ok(call !== undefined, 'run npm run generate')
      const valid = await things.call(operation)
      sent = []
      const answer = await invoke(atrium, call, valid)
      const { target, init } = sent.at(-1) as Sent
      const [path, search = ''] = target.split('?')
      assert.equal(`${init.method} ${path}`, `${operation.method} ${filled(valid)}`)
      assert.deepEqual(
        plain(new URLSearchParams(search)),
        plain(new URLSearchParams(valid.query as Record<string, string>)),
      )
      if (typeof valid.body === 'string') return assert.equal(init.body, valid.body)
      const takesBody =
        valid.body !== undefined && Object.keys(valid.body as object).length > 0 && call.parameters.length > 0
      assert.deepEqual(init.body === undefined ? null : JSON.parse(String(init.body)), takesBody ? valid.body : null)
      const headers = new Headers(init.headers)
      assert.equal(headers.has('idempotency-key'), operation.kind === 'write')
      assert.equal(answer, call.kind)
    })
  }
})

/** Calls the method with the values of a valid call and returns the outcome. */
async function invoke(atrium: Atrium, call: Call, valid: ValidCall): Promise<Call['kind']> {
  const resource = call.accessor.reduce<Record<string, unknown>>((at, name) => at[name] as never, atrium as never)
  const ids = call.ids.map(({ name }) => valid.params[name])
  const query = Object.entries(valid.query).map(([name, value]) => [name.replace('[]', ''), asGiven(call, name, value)])
  const content = typeof valid.body === 'string' ? { content: valid.body } : (valid.body as object | undefined)
  const params = { ...Object.fromEntries(query), ...content }
  const method = resource[call.method] as (...given: unknown[]) => unknown
  const called = method.call(resource, ...ids, params)
  if (call.kind === 'stream') {
    const stream = await (called as ReturnType<Atrium['events']['stream']>).open()
    stream.close()
    return 'stream'
  }
  const answer = (await called) as { object: string; nextPage?: unknown }
  assert.equal(typeof answer.object, 'string')
  return answer.nextPage === undefined ? 'one' : 'list'
}

/** The argument that produces the value in the URL. */
function asGiven(call: Call, name: string, value: string): unknown {
  const { schema = {}, form } = call.parameters.find((parameter) => parameter.name === name.replace('[]', '')) ?? {}
  if (form === 'commas') return value.split(',')
  return schema.type === 'array' ? [value] : value
}

function filled({ operation, params }: ValidCall): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(params[name] as string))
}

function plain(query: URLSearchParams): string[] {
  return [...query].map(([name, value]) => `${name}=${value}`).sort()
}
