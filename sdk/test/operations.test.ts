/** Calls every operation of the catalogue through every SDK and checks the request that arrives. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { catalogue } from '../../server/src/catalogue.ts'
import { type Call, callsOf } from '../../server/src/derive/sdk/model/calls.ts'
import { onOneEngine } from '../../server/test/engines.ts'
import { populate, type ValidCall } from '../../server/test/things.ts'
import { openFirst, worldOf } from '../../server/test/world.ts'
import { flavors, missing } from '../python/test/driver.ts'
import { type FlakyProxy, openProxy, type Passed } from '../typescript/test/proxy.ts'
import { openPython, openTypescript, type SdkClient } from './clients.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8'))
const calls = new Map(callsOf(document).map((call) => [call.id, call]))

const clients: Readonly<Record<string, (apiKey: string, baseUrl: string) => Promise<SdkClient>>> = {
  TypeScript: openTypescript,
  ...(missing === null
    ? Object.fromEntries(
        flavors.map((flavor) => [`Python, ${flavor}`, (key: string, url: string) => openPython(flavor, key, url)]),
      )
    : {}),
}

onOneEngine('the methods of the SDKs', (engine) => {
  const world = worldOf(engine)
  const things = openFirst(() => populate(world))
  let proxy: FlakyProxy
  before(async () => {
    proxy = await openProxy(() => world.server.url)
  })
  after(() => proxy.close())

  for (const [language, open] of Object.entries(clients)) {
    describe(language, () => {
      let client: SdkClient
      before(async () => {
        client = await open(world.acme.key, proxy.url)
      })
      after(() => client.close())

      for (const operation of catalogue) {
        it(`calls ${operation.id} as it is to be called`, async () => {
          const call = calls.get(operation.id)
          assert.ok(call !== undefined, 'run npm run generate')
          const valid = await things.call(operation)
          proxy.passed.length = 0
          assert.equal(await client.call(call, valid.params, paramsOf(call, valid)), call.kind)
          assertSent(proxy.passed.at(-1) as Passed, call, valid)
        })
      }
    })
  }

  if (missing !== null) it('Python is tried where python3 is installed', (t) => t.diagnostic(missing as string))
})

function assertSent({ method, url, headers, body }: Passed, call: Call, valid: ValidCall): void {
  const { operation } = valid
  const [path, search = ''] = url.split('?')
  assert.equal(`${method} ${path}`, `${operation.method} ${filled(valid)}`)
  const expected = new URLSearchParams(valid.query as Record<string, string>)
  assert.deepEqual(plain(new URLSearchParams(search)), plain(expected))
  assert.equal(headers['idempotency-key'] !== undefined, operation.kind === 'write')
  assert.equal(headers['service-version'], document.info.version)
  assert.deepEqual(typeof valid.body === 'string' || body === '' ? body : JSON.parse(body), bodyOf(call, valid))
}

/** The body that is to arrive; empty without one. */
function bodyOf(call: Call, { body }: ValidCall): unknown {
  const isEmpty = typeof body !== 'string' && Object.keys((body ?? {}) as object).length === 0
  return isEmpty || call.parameters.length === 0 ? '' : body
}

/** The parameters of the method that make the valid call. */
function paramsOf(call: Call, valid: ValidCall): Record<string, unknown> {
  const query = Object.entries(valid.query).map(([name, value]) => [name.replace('[]', ''), asGiven(call, name, value)])
  const content = typeof valid.body === 'string' ? { content: valid.body } : (valid.body as object | undefined)
  return { ...Object.fromEntries(query), ...content }
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
