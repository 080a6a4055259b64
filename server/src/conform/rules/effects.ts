/** The effects of a write besides its answer: events, audit entry, request log, credits, tombstone; and those of a dry run. */
import { isDeepStrictEqual } from 'node:util'
import { DryRun, secretFields } from '../../api/write/dry-run.ts'
import { special, urlOf } from '../calls.ts'
import { at, type Reply, skip, user_agent } from '../client.ts'
import { always, isWrite, type Rule } from '../rule.ts'
import { faultsOfAnswer, faultsOfShape } from '../shapes.ts'
import type { Script, Trial } from '../trial.ts'

export const events: Rule = {
  name: 'events',
  promise:
    'A write emits the event types that it declares, in one commit, before it answers (contract/10#one-event-per-object).',
  applies: isWrite,
  async check(trial) {
    const { first, events: emitted, after, before } = await trial.script()
    const declared = trial.operation.emits.map(({ type }) => type as string)
    const types = emitted.map((event) => String(at(event, 'type')))
    for (const type of types) trial.expect(declared.includes(type), `${type} was emitted and is not declared`)
    const isUnchanged =
      before !== null && after !== null && before.text === after.text && trial.operation.method !== 'DELETE'
    if (isUnchanged && declared.length > 0 && types.length === 0) skip('its valid call changes nothing')
    const expected = `emitting an event (${declared.join(', ') || 'none'})`
    trial.expectEqual(types.length > 0, declared.length > 0, expected, first)
    for (const event of emitted) {
      trial.expectEqual(at(event, 'commit', 'size'), emitted.length, 'commit.size of an event')
    }
  },
}

/** Fields of a PATCH's body that are not fields of the object. */
const beside_fields = new Set(['workspace', 'revision'])

export const audit: Rule = {
  name: 'audit',
  promise:
    'A write that changes something writes one audit entry: who did what to which object, by which request (contract/09#audit-entries).',
  applies: isWrite,
  isLast: true,
  async check(trial) {
    const { first, call, after, before, events: emitted } = await trial.script()
    const request = first.headers['x-request-id']
    const entries = await trial.kit.logs.entries('audit_logs')
    const index = entries.findIndex((entry) => at(entry, 'request') === request)
    const entry = entries[index]
    if (entry === undefined) {
      if (before !== null && after !== null && before.text === after.text) skip('its valid call changes nothing')
      trial.fail(`${request} has no audit entry`, first)
      return
    }
    const count = entries.filter((each) => at(each, 'request') === request).length
    trial.expectEqual(count, 1, `the number of audit entries of ${request}`)
    checkEntry(trial, entry)
    await checkTarget(trial, entry, { first, call, before, events: emitted })
    const previous = entries[index + 1]
    // Entries of the other realm may stand between.
    if (Number(at(previous, 'sequence')) + 1 === at(entry, 'sequence')) {
      trial.expectEqual(at(entry, 'previous_hash'), at(previous, 'hash'), 'previous_hash')
    }
  },
}

function checkEntry(trial: Trial, entry: unknown): void {
  const { credential, mode } = trial.kit.identity
  const expected: [path: readonly string[], value: unknown][] = [
    [['object'], 'audit_entry'],
    [['action'], trial.operation.id],
    [['mode'], mode],
    [['actor', 'type'], 'api_key'],
    [['actor', 'id'], credential],
    [['credential'], credential],
    [['source', 'user_agent'], user_agent],
  ]
  for (const [path, value] of expected)
    trial.expectEqual(at(entry, ...path), value, `${path.join('.')} of the audit entry`)
  trial.expect(typeof at(entry, 'source', 'ip') === 'string', 'the audit entry has no source.ip')
}

async function checkTarget(
  trial: Trial,
  entry: unknown,
  { first, call, before, events: emitted }: Pick<Script, 'first' | 'call' | 'before' | 'events'>,
): Promise<void> {
  const { operation, kit } = trial
  const target = String(at(entry, 'target', 'id'))
  const audits = special[operation.id]?.audits
  const audited = audits === undefined ? null : at(await kit.stock.thing(audits.thing), audits.field)
  const isNamed = JSON.stringify([first.body, call.params, call.body, audited]).includes(target)
  trial.expect(isNamed && target !== '', `target ${target} of the audit entry is in neither call nor answer`, first)
  const fields = at(entry, 'changed_fields')
  const changedFields = Array.isArray(fields) ? fields.map(String) : []
  if (operation.method === 'DELETE') {
    trial.expectEqual(changedFields.sort().join(), fieldsOfDelete(trial, emitted).join(), 'changed_fields')
  }
  if (operation.method === 'PATCH') {
    const sent = Object.entries(call.body as object).filter(([name]) => !beside_fields.has(name))
    const different = sent.filter(([name, value]) => !isDeepStrictEqual(at(before?.body, name), value))
    for (const [name] of different) trial.expect(changedFields.includes(name), `changed_fields lack ${name}`)
    for (const name of ['updated', 'revision']) {
      trial.expect(!changedFields.includes(name), `changed_fields name ${name}`)
    }
  }
  for (const name of secretFields(operation)) {
    const secret = at(first.body, name)
    trial.expect(!JSON.stringify(entry).includes(String(secret)), `the audit entry holds ${name}`)
  }
}

/** None, unless the delete is declared as a change of its parent: then what its event says has changed. */
function fieldsOfDelete({ operation }: Trial, emitted: readonly unknown[]): string[] {
  const [declared] = operation.emits
  const { parent, target } = operation
  if (parent === null || declared?.noun.object !== parent.object || target?.object === parent.object) return []
  const event = emitted.find((each) => at(each, 'type') === declared.type)
  const previous = at(event, 'data', 'previous_attributes') ?? {}
  return Object.keys(previous)
    .filter((name) => name !== 'updated' && name !== 'revision')
    .sort()
}

export const requestLog: Rule = {
  name: 'request-log',
  promise:
    'A request is in the request log when it is answered: operation, status, price, sizes and events, no values (contract/09#request-log).',
  applies: always,
  async check(trial) {
    const { first, call, charged, events: emitted } = await trial.script()
    const { operation, kit } = trial
    const id = first.headers['x-request-id'] ?? ''
    const reply = await kit.client.send('GET', `/v1/request_logs/${id}`)
    if (reply.status !== 200) {
      trial.fail('the request is not in the log', reply)
      return
    }
    const created = Number(at(reply.body, 'created'))
    const expected = {
      ...{ id, object: 'request_log', method: operation.method, route: operation.path, path: first.path.split('?')[0] },
      ...{ query_parameters: Object.keys(call.query), operation: operation.id, status: 200 },
      ...{ error_code: null, error_param: null, credential: kit.identity.credential, owner: kit.identity.owner },
      ...{ mode: kit.identity.mode, api_version: kit.identity.version, cost: operation.credits },
      ...{ charged: charged.first ?? operation.credits, dry_run: false, idempotency_replayed: false },
      ...{ original_request: null, user_agent },
      request_bytes: call.body === undefined ? 0 : Buffer.byteLength(JSON.stringify(call.body)),
      response_bytes: operation.streams ? at(reply.body, 'response_bytes') : Buffer.byteLength(first.text),
      expires_at: created + 7 * 86_400,
    }
    for (const [name, value] of Object.entries(expected)) {
      trial.expectEqual(JSON.stringify(at(reply.body, name)), JSON.stringify(value), `${name} of the log`)
    }
    trial.expect(/\/(?:24|48)$/.test(String(at(reply.body, 'ip'))), 'ip of the log is not cut', reply)
    const logged = at(reply.body, 'events')
    const [found, caused] = [
      Array.isArray(logged) ? logged.map(String) : [],
      emitted.map((event) => String(at(event, 'id'))),
    ]
    trial.expectEqual(found.sort().join(), caused.sort().join(), 'events of the log', reply)
  },
}

export const credits: Rule = {
  name: 'credits',
  promise:
    'A success is charged the list price, an error or a dry run 1, a replay and a 304 nothing (contract/04#charges).',
  applies: always,
  async check(trial) {
    const { charged, repeated } = await trial.script()
    const { operation } = trial
    if (charged.first === null) skip('a UTC day ended in between')
    const expectCost = (found: number | null, expected: number, what: string) => {
      const advice = 'other requests with this key are counted too: use one of its own'
      trial.expect(found === null || found === expected, `${what} was charged ${found}, not ${expected} (${advice})`)
    }
    expectCost(charged.first, operation.credits, 'a success')
    const [again] = repeated
    if (again !== undefined) {
      const isNewRead = again.status === 200 && !isWrite(operation)
      expectCost(charged.repeated, isNewRead ? operation.credits : 0, `the repetition (${again.status})`)
    }
    const price = operation.lenient ? operation.credits : 1
    expectCost(charged.refused, price, operation.lenient ? 'a success' : 'a mistake')
    if (isWrite(operation)) expectCost(charged.dryRun, 1, 'a dry run')
  },
}

/** DELETE archives these; they stay readable. */
const archived: ReadonlySet<string> = new Set(['board'])

export const tombstone: Rule = {
  name: 'tombstone',
  promise:
    'A deleted object answers 410; API keys, webhook endpoints and board memberships 404 (contract/02#deleted-objects).',
  applies: ({ method }) => method === 'DELETE',
  async check(trial) {
    const { call, after, first } = await trial.script()
    const { target } = trial.operation
    if (target === null) return
    trial.expectEqual(at(first.body, 'deleted'), true, 'deleted', first)
    const code = target.forgets ? 'resource_not_found' : 'resource_deleted'
    if (archived.has(target.object)) {
      trial.expectEqual(after?.status, 200, 'the status of reading it', after ?? undefined)
      trial.expectRefused(await trial.send(call), 'resource_conflict')
      return
    }
    if (after !== null) trial.expectRefused(after, code)
    trial.expectRefused(await trial.send(call), code)
  },
}

export const dryRun: Rule = {
  name: 'dry-run',
  promise:
    '`Prefer: dry-run` answers what the write would, with its events and its price, and changes nothing (contract/17#dry-run).',
  applies: isWrite,
  async check(trial) {
    const { dryRun: rehearsed, first, events: emitted, before, call } = await trial.script()
    if (rehearsed === null) return
    trial.expectEqual(rehearsed.headers['preference-applied'], 'dry-run', 'Preference-Applied', rehearsed)
    for (const fault of faultsOfShape(DryRun, withoutContent(rehearsed.body))) trial.fail(`dry run: ${fault}`)
    const answer = at(rehearsed.body, 'answer')
    for (const fault of faultsOfAnswer(trial.operation, answer)) trial.fail(`dry run: answer${fault}`)
    trial.expectEqual(withoutNew(trial, answer), withoutNew(trial, first.body), 'the answer of the dry run')
    trial.expectEqual(typesOf(rehearsed), typesIn(emitted), 'the events of the dry run')
    trial.expectEqual(at(rehearsed.body, 'credits'), trial.operation.credits, 'the credits of the dry run')
    if (before !== null && at(before.body, 'revision') !== undefined && at(first.body, 'revision') !== undefined) {
      trial.expectEqual(at(first.body, 'revision'), at(answer, 'revision'), 'the revision after the write')
    }
    await checkNotCreated(trial, at(answer, 'id'), call.params)
  },
}

/** The types of a dry run's events, in commit order. */
function typesOf(rehearsed: Reply): string {
  const found = at(rehearsed.body, 'events')
  return Array.isArray(found) ? found.map((event) => at(event, 'type')).join() : ''
}

/** The types of a list of events, in commit order. */
function typesIn(latestFirst: readonly unknown[]): string {
  return latestFirst
    .map((event) => at(event, 'type'))
    .toReversed()
    .join()
}

/** A dry run without the objects that have a shape of their own. */
function withoutContent(body: unknown): unknown {
  const { answer: _answer, events: _events, ...rest } = (body ?? {}) as Record<string, unknown>
  return { ...rest, answer: {}, events: [] }
}

/** The answer without what differs each time: ids, times, secrets and counters. */
function withoutNew(trial: Trial, answer: unknown): string {
  const secret = secretFields(trial.operation)
  const counted = new Set(['hint', 'last4', 'number', 'key', 'sequence', 'position', ...secret])
  const text = JSON.stringify(answer, (name, value) => {
    if (counted.has(name) || /^(?:created|updated)$|_at$/.test(name)) return value === null ? null : name
    return name === 'duration_ms' && typeof value === 'number' ? 'ms' : value
  })
  // A URL's signature is over an id and a time.
  const unsigned = (text ?? '').replaceAll(/expires=\d+&signature=[\w-]+/g, 'signature')
  // A URL may end in a secret.
  const shown = secret.reduce((rest, name) => {
    const value = at(answer, name)
    return typeof value === 'string' && value !== '' ? rest.replaceAll(value, name) : rest
  }, unsigned)
  return shown.replaceAll(/[a-z]{2,4}_[0-7][0-9A-HJKMNP-TV-Z]{25}/g, '<id>')
}

async function checkNotCreated(trial: Trial, id: unknown, params: Readonly<Record<string, string>>): Promise<void> {
  const { operation, kit } = trial
  if (operation.method !== 'POST' || operation.target !== null || typeof id !== 'string') return
  const noun = operation.emits[0]?.noun.object
  const reads = kit.catalogue.find(
    (each) => each.kind === 'read' && each.target?.object === noun && each.parent === null,
  )
  if (reads === undefined || Object.keys(params).length > 0 || reads.query.workspace?.required) return
  const reply = await trial.sendTo('GET', urlOf({ operation: reads, params: { id }, query: {} }))
  trial.expectEqual(reply.status, 404, 'the status of reading what a dry run created', reply)
}
