/** What a write does beside its answer: events, credits, tombstones; and what a dry run does not. */
import { DryRun, secretFields } from '../../api/dry-run.ts'
import { urlOf } from '../calls.ts'
import { at } from '../client.ts'
import { always, isWrite, type Rule } from '../rule.ts'
import { faultsOf, faultsOfShape } from '../shapes.ts'
import { skip, type Trial } from '../trial.ts'

export const events: Rule = {
  name: 'events',
  promise:
    'A write is told in the event log at once, with the types that its declaration names (contract §6, decisions §10).',
  applies: isWrite,
  async check(trial) {
    const { first, events: told, after, before } = await trial.script()
    const declared = trial.operation.emits.map(({ type }) => type as string)
    const types = told.map((event) => String(at(event, 'type')))
    for (const type of types) trial.expect(declared.includes(type), `${type} was emitted, which is not declared`)
    if (before !== null && after !== null && before.text === after.text && trial.operation.method !== 'DELETE') {
      if (types.length === 0) skip('its valid call changed nothing')
    }
    trial.expectEqual(
      types.length > 0,
      declared.length > 0,
      `telling of it (${declared.join(', ') || 'nothing'})`,
      first,
    )
    told.forEach((event) => {
      trial.expectEqual(at(event, 'commit', 'size'), told.length, 'commit.size of an event')
    })
  },
}

export const credits: Rule = {
  name: 'credits',
  promise:
    'Charged is the list price on success, 1 for a mistake or a dry run, 0 for a replay or a 304 (decisions §4).',
  applies: always,
  async check(trial) {
    const { charged, again } = await trial.script()
    const { operation } = trial
    if (charged.first === null) skip('the day ended meanwhile')
    const about = 'what else uses this key would be counted too: use one of its own'
    const expectCost = (found: number | null, expected: number, what: string) => {
      trial.expect(found === null || found === expected, `${what} was charged ${found}, not ${expected} (${about})`)
    }
    expectCost(charged.first, operation.credits, 'a success')
    if (again !== null)
      expectCost(
        charged.again,
        again.status === 200 && !isWrite(operation) ? operation.credits : 0,
        `the ${again.status} again`,
      )
    expectCost(
      charged.refused,
      operation.lenient ? operation.credits : 1,
      operation.lenient ? 'a success' : 'a mistake',
    )
    if (isWrite(operation)) expectCost(charged.rehearsed, 1, 'a dry run')
  },
}

/** Archived, not removed: they stay readable. */
const archived: ReadonlySet<string> = new Set(['board'])

export const tombstone: Rule = {
  name: 'tombstone',
  promise: 'What was deleted answers 410; API keys, webhook endpoints and board memberships 404 (decisions §2).',
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
  promise: '`Prefer: dry-run` answers what the write would, with its events and its price, and changes nothing.',
  applies: isWrite,
  async check(trial) {
    const { rehearsed, first, events: told, before, call } = await trial.script()
    if (rehearsed === null) return
    trial.expectEqual(rehearsed.headers['preference-applied'], 'dry-run', 'Preference-Applied', rehearsed)
    for (const fault of faultsOfShape(DryRun, withoutContent(rehearsed.body))) trial.fail(`dry run: ${fault}`)
    const answer = at(rehearsed.body, 'answer')
    for (const fault of faultsOf(trial.operation, answer)) trial.fail(`dry run: answer${fault}`)
    trial.expectEqual(shapeOf(trial, answer), shapeOf(trial, first.body), 'the answer of the dry run')
    const types = (at(rehearsed.body, 'events') as unknown[] | undefined)?.map((event) => at(event, 'type'))
    trial.expectEqual(
      types?.join(),
      told
        .map((event) => at(event, 'type'))
        .reverse()
        .join(),
      'the events of the dry run',
    )
    trial.expectEqual(at(rehearsed.body, 'credits'), trial.operation.credits, 'the credits of the dry run')
    if (before !== null && at(before.body, 'revision') !== undefined && at(first.body, 'revision') !== undefined) {
      trial.expectEqual(at(first.body, 'revision'), at(answer, 'revision'), 'the revision after the write')
    }
    await checkNotMade(trial, at(answer, 'id'), call.params)
  },
}

/** Objects inside events are checked by their own kinds. */
function withoutContent(body: unknown): unknown {
  const { answer: _answer, events: _events, ...rest } = (body ?? {}) as Record<string, unknown>
  return { ...rest, answer: {}, events: [] }
}

/** The answer without what is new in every one: ids, secrets, and what counts on. */
function shapeOf(trial: Trial, answer: unknown): string {
  const secret = secretFields(trial.operation)
  const counted = new Set(['hint', 'last4', 'number', 'key', 'sequence', 'position', ...secret])
  const text = JSON.stringify(answer, (name, value) => {
    if (counted.has(name) || /^(?:created|updated)$|_at$/.test(name)) return value === null ? null : name
    return name === 'duration_ms' && typeof value === 'number' ? 'ms' : value
  })
  return (text ?? '').replaceAll(/[a-z]{2,4}_[0-7][0-9A-HJKMNP-TV-Z]{25}/g, '<id>')
}

async function checkNotMade(trial: Trial, id: unknown, params: Readonly<Record<string, string>>): Promise<void> {
  const { operation, kit } = trial
  if (operation.method !== 'POST' || operation.target !== null || typeof id !== 'string') return
  const noun = operation.emits[0]?.noun.object
  const reads = kit.catalogue.find(
    (each) => each.kind === 'read' && each.target?.object === noun && each.parent === null,
  )
  if (reads === undefined || Object.keys(params).length > 0 || reads.query.workspace?.required) return
  const reply = await trial.sendTo('GET', urlOf({ operation: reads, params: { id }, query: {} }))
  trial.expectEqual(reply.status, 404, 'the status of reading what a dry run made', reply)
}
