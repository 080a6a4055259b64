/** The SDKs behind one interface, for tests that every SDK has to pass. */
import assert from 'node:assert/strict'
import type { Call } from '../../server/src/derive/sdk/model/calls.ts'
import { camel } from '../../server/src/derive/sdk/typescript/names.ts'
import { Driver, type Flavor } from '../python/test/driver.ts'
import { Atrium } from '../typescript/src/index.ts'

export interface SdkClient {
  /** Calls the method of an operation and returns what it was. A stream is opened and closed. */
  call(
    call: Call,
    ids: Readonly<Record<string, string>>,
    params: Readonly<Record<string, unknown>>,
  ): Promise<Call['kind']>
  close(): Promise<void>
}

export async function openTypescript(apiKey: string, baseUrl: string): Promise<SdkClient> {
  const atrium = new Atrium({ apiKey, baseUrl, maxRetries: 0 })
  return {
    async call(call, ids, params) {
      const resource = call.accessor.reduce<Record<string, unknown>>(
        (at, name) => at[camel(name)] as never,
        atrium as never,
      )
      const method = resource[camel(call.method)] as (...given: unknown[]) => unknown
      const called = method.call(resource, ...call.ids.map(({ name }) => ids[name]), params)
      if (call.kind === 'stream') {
        const stream = await (called as ReturnType<Atrium['events']['stream']>).open()
        stream.close()
        return 'stream'
      }
      const answer = (await called) as { object: string; nextPage?: unknown }
      assert.equal(typeof answer.object, 'string')
      return answer.nextPage === undefined ? 'one' : 'list'
    },
    close: async () => {},
  }
}

export async function openPython(flavor: Flavor, api_key: string, base_url: string): Promise<SdkClient> {
  const driver = new Driver()
  const client = await driver.client(flavor, { api_key, base_url, max_retries: 0 })
  return {
    async call(call, ids, params) {
      if (call.kind === 'stream') {
        await (await client.stream(params.types as string[])).close()
        return 'stream'
      }
      const given = call.ids.map(({ name }) => ids[name])
      const { kind, data } = await client.call([...call.accessor, call.method].join('.'), params, given)
      if (kind === 'one') assert.equal(typeof data.object, 'string')
      return kind
    },
    close: () => driver.end(),
  }
}
