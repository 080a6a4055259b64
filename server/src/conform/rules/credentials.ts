/** Credentials, scopes and tenants. */

import { makeCredential } from '../../api/declare/credential-format.ts'
import { scopes } from '../../api/declare/scopes.ts'
import { changed, neverId, type Part, pathParameters, special, urlOf } from '../calls.ts'
import { at, items, type Reply, skip } from '../client.ts'
import { always, isList, type Rule } from '../rule.ts'
import type { Trial } from '../trial.ts'

export const credential: Rule = {
  name: 'credential',
  promise:
    'Without a credential, or with an unknown one, the answer is 401 (contract/07#bearer-authentication, contract/02#error-codes).',
  applies: always,
  async check(trial) {
    const call = await trial.call()
    trial.expectRefused(await trial.send(call, { key: null }), 'missing_api_key', null)
    for (const key of ['x', makeCredential('api_key', 'live'), makeCredential('api_key', 'test')]) {
      trial.expectRefused(await trial.send(call, { key }), 'invalid_api_key', null)
    }
    const token = makeCredential('access_token', 'test')
    trial.expectRefused(await trial.send(call, { key: token }), 'invalid_access_token', null)
  },
}

export const credentialInUrl: Rule = {
  name: 'credential-in-url',
  promise:
    'A credential in the URL is refused, even beside a valid one in the header (contract/07#credentials-in-urls).',
  applies: always,
  async check(trial) {
    // URLs are logged on their way, so this key is not a valid one.
    const call = changed(await trial.call(), 'query', 'api_key', makeCredential('api_key', 'test'))
    trial.expectRefused(await trial.send(call), 'invalid_api_key', null)
  },
}

export const scope: Rule = {
  name: 'scope',
  promise:
    'A key without the operation’s scope gets 403 with the name of the scope, whatever else it holds; a key with that scope alone is enough (contract/02#missing-scope, contract/07#scopes).',
  applies: always,
  async check(trial) {
    const { operation } = trial
    const { stock } = trial.kit
    const call = await trial.call()
    const needed = operation.scope
    if (needed === null) {
      await trial.sendGranted(call, 'with another scope', { key: await stock.keyWith(['files:read']) })
      return
    }
    const another = needed === 'files:read' ? 'boards:read' : 'files:read'
    for (const held of [[another], scopes.filter((each) => each !== needed)]) {
      const reply = await trial.send(call, { key: await stock.keyWith(held) })
      trial.expectRefused(reply, 'insufficient_scope', null)
      const message = String(at(reply.body, 'error', 'message'))
      trial.expect(message.includes(needed), `the message does not name ${needed}`, reply)
    }
    const { scopes: others = [], boundBy } = special[operation.id] ?? {}
    const key = await stock.keyWith([needed, ...others])
    if (boundBy === undefined) await trial.sendGranted(call, `with ${needed} alone`, { key })
    else trial.expectRefused(await trial.send(call, { key }), boundBy)
  },
}

const public_id = /^[a-z]{2,4}_[0-7][0-9A-HJKMNP-TV-Z]{25}$/

export const foreign: Rule = {
  name: 'foreign',
  promise:
    'An object of another organization or realm answers exactly like one that never existed, and is in no list (contract/02#foreign-objects).',
  applies: always,
  async check(trial) {
    const { otherKey } = trial.kit
    if (otherKey === null) return skip('no --other-key was given')
    const call = await trial.call()
    const references = (['params', 'query', 'body'] as const)
      .flatMap((part) => Object.entries(call[part] ?? {}).map(([name, id]): Reference => [part, name, id]))
      .filter(([, , id]) => typeof id === 'string' && public_id.test(id))
    let never = call
    for (const [part, name, id] of references) never = changed(never, part, name, neverId(String(id)))
    if (references.length > 0) {
      const replies = [await trial.send(call, { key: otherKey }), await trial.send(never, { key: otherKey })] as const
      if (of_both_realms.test(trial.operation.id) && (await isOfSameOrganization(trial, otherKey))) return
      compare(trial, ...replies, references)
    } else if (!isList(trial.operation)) skip('its call names no object')
    if (isList(trial.operation) && pathParameters(trial.operation).length === 0) await checkList(trial, otherKey)
  },
}

/** Members, teams with their people and the organization are common to both realms, so none of them is foreign there. */
const of_both_realms = /^(?:members|teams|team_members|organizations)\./

async function isOfSameOrganization(trial: Trial, otherKey: string): Promise<boolean> {
  const [own, other] = [await trial.sendTo('GET', '/v1/me'), await trial.sendTo('GET', '/v1/me', { key: otherKey })]
  return at(own.body, 'organization', 'id') === at(other.body, 'organization', 'id')
}

type Reference = readonly [part: Part, name: string, id: unknown]

function compare(trial: Trial, foreignReply: Reply, neverReply: Reply, references: readonly Reference[]): void {
  trial.expect(neverReply.status >= 400, 'an id that never existed is accepted', neverReply)
  const [found, expected] = [foreignReply, neverReply].map((reply) => withoutIds(reply, references))
  trial.expectEqual(found, expected, 'the answer to a foreign id', foreignReply)
}

/** The status and text of an answer without ids. */
function withoutIds(reply: Reply, references: readonly Reference[]): string {
  let text = `${reply.status} ${reply.text}`.replaceAll(reply.headers['x-request-id'] ?? '-', '<request>')
  for (const [, , id] of references) text = text.replaceAll(String(id), '<id>')
  return text.replaceAll(/[a-z]{2,4}_[0-7][0-9A-HJKMNP-TV-Z]{25}/g, '<id>')
}

/** Nothing that this run created is in the other's list. */
async function checkList(trial: Trial, key: string): Promise<void> {
  const path = urlOf({ operation: trial.operation, params: {}, query: { limit: '100' } })
  const own = new Set(trial.kit.stock.created.map(({ id }) => id))
  for (const item of items(await trial.sendTo('GET', path, { key }))) {
    const id = String(at(item, 'id'))
    trial.expect(!own.has(id), `${id} is in the other's list`)
  }
}
