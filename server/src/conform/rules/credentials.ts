/** Who may: credentials, scopes, tenants (contract §5, decisions §2). */
import { makeCredential } from '../../lib/credential-format.ts'
import { changed, neverId, placesOf, urlOf } from '../calls.ts'
import { at, items, type Reply } from '../client.ts'
import { always, isList, type Rule } from '../rule.ts'
import { skip, type Trial } from '../trial.ts'

export const credential: Rule = {
  name: 'credential',
  promise: 'Without a credential, or with one that is unknown, the answer is 401 (contract §5, decisions §2).',
  applies: always,
  async check(trial) {
    const call = await trial.call()
    trial.expectRefused(await trial.send(call, { key: null }), 'missing_api_key')
    for (const key of ['x', makeCredential('api_key', 'live'), makeCredential('api_key', 'test')]) {
      trial.expectRefused(await trial.send(call, { key }), 'invalid_api_key')
    }
    trial.expectRefused(await trial.send(call, { key: makeCredential('access_token', 'test') }), 'invalid_access_token')
  },
}

export const credentialInUrl: Rule = {
  name: 'credential-in-url',
  promise: 'A credential in the URL is refused, even beside a valid one in the header (contract §5).',
  applies: always,
  async check(trial) {
    // One that opens nothing: URLs are logged on their way.
    const call = changed(await trial.call(), 'query', 'api_key', makeCredential('api_key', 'test'))
    trial.expectRefused(await trial.send(call), 'invalid_api_key')
  },
}

export const scope: Rule = {
  name: 'scope',
  promise: 'A key without the scope of the operation gets 403 with the name of that scope (contract §5, decisions §2).',
  applies: always,
  async check(trial) {
    const { operation } = trial
    const reply = await trial.send(await trial.call(), { key: await trial.kit.limited() })
    if (operation.scope === null) {
      trial.expectEqual(reply.status, 200, 'the status', reply)
      return
    }
    trial.expectRefused(reply, 'insufficient_scope')
    const message = String(at(reply.body, 'error', 'message'))
    trial.expect(message.includes(operation.scope), `the message does not name ${operation.scope}`, reply)
  },
}

const public_id = /^[a-z]{2,4}_[0-7][0-9A-HJKMNP-TV-Z]{25}$/

export const foreign: Rule = {
  name: 'foreign',
  promise:
    'Another organization’s or realm’s object answers exactly as one that never existed, and is in no list (decisions §2).',
  applies: always,
  async check(trial) {
    const { otherKey } = trial.kit
    if (otherKey === null) skip('no --other-key was given')
    const call = await trial.call()
    const places = [
      ...Object.entries(call.params).map(([name, id]) => ['params', name, id] as const),
      ...Object.entries(call.query).map(([name, id]) => ['query', name, id] as const),
      ...Object.entries((call.body ?? {}) as object).map(([name, id]) => ['body', name, id] as const),
    ].filter(([, , id]) => typeof id === 'string' && public_id.test(id))
    let never = call
    for (const [place, name, id] of places) never = changed(never, place, name, neverId(String(id)))
    if (places.length > 0)
      compare(trial, await trial.send(call, { key: otherKey }), await trial.send(never, { key: otherKey }), places)
    else if (!isList(trial.operation)) skip('it names no object')
    if (isList(trial.operation) && placesOf(trial.operation).length === 0) await checkList(trial, otherKey)
  },
}

type Place = readonly ['params' | 'query' | 'body', string, unknown]

function compare(trial: Trial, foreignReply: Reply, neverReply: Reply, places: readonly Place[]): void {
  // Members, teams and the organization itself are common to both realms.
  if (/^(?:members|teams|organizations)\./.test(trial.operation.id) && foreignReply.status === 200) return
  trial.expect(neverReply.status >= 400, 'an id that never existed is accepted', neverReply)
  trial.expectEqual(
    shapeOf(foreignReply, places),
    shapeOf(neverReply, places),
    'the answer to a foreign id',
    foreignReply,
  )
}

/** The answer without what is new in every one. */
function shapeOf(reply: Reply, places: readonly Place[]): string {
  let text = `${reply.status} ${reply.text}`.replaceAll(reply.headers['x-request-id'] ?? '-', '<request>')
  for (const [, , id] of places) text = text.replaceAll(String(id), '<id>')
  return text.replaceAll(/[a-z]{2,4}_[0-7][0-9A-HJKMNP-TV-Z]{25}/g, '<id>')
}

/** What was made here is in no list of the other's. */
async function checkList(trial: Trial, key: string): Promise<void> {
  const path = urlOf({ operation: trial.operation, params: {}, query: { limit: '100' } })
  const own = new Set(trial.kit.stock.created.map(({ id }) => id))
  const reply = await trial.sendTo('GET', path, { key })
  for (const item of items(reply)) {
    const id = String(at(item, 'id'))
    trial.expect(!own.has(id), `${id} is in the other's list`)
  }
}
