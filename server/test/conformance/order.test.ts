/**
 * The order of checks (contract/02#order-of-checks): a request with two faults is refused for the first. One write is sent
 * with every pair of faults; `faults` lists them in the order of the rule.
 */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { makeCredential } from '../../src/api/declare/credential-format.ts'
import { type Placeholder, query } from '../../src/db/query.ts'
import { newId } from '../../src/lib/ids.ts'
import type { Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { populate } from '../things.ts'
import { openFirst, worldOf } from '../world.ts'
import { assertRefused } from './answers.ts'
import { change, setPlan } from './stored.ts'

/** A PATCH of a task that faults are applied to. */
interface Draft {
  key: string | null
  id: string
  query: string[]
  idempotencyKey: string | null
  malformed: boolean
  body: Record<string, unknown>
  headers: Record<string, string>
}

interface Fault {
  readonly name: string
  readonly code: string
  readonly param: string | null
  /** Faults of the same place exclude each other. */
  readonly place: string
  readonly apply: (draft: Draft) => void
}

const fillWindow = query((db, p: Placeholder<{ organization: string; subject: string; starts_at: number }>) =>
  db.insertInto('credit_windows').values({
    organization: p('organization'),
    subject: p('subject'),
    kind: 'minute',
    starts_at: p('starts_at'),
    used: 100_000,
  }),
)

onEveryEngine('a request with two faults', (engine) => {
  const world = worldOf(engine, { environment: { ATRIUM_CREDITS_PER_MINUTE: '100000' } })
  const things = openFirst(() => populate(world))
  let poor: string
  let scopeless: string
  let scopelessAndPoor: string
  let archivedTask: string
  let deletedTask: string
  let disabled: Set<string>

  async function exhausted(scopes?: readonly []): Promise<string> {
    const { id, secret } = await world.key(scopes === undefined ? {} : { scopes })
    const starts_at = world.clock.now() - (world.clock.now() % 60_000)
    await change(world, fillWindow, { organization: world.acme.id, subject: id, starts_at })
    return secret
  }

  before(async () => {
    poor = await exhausted()
    scopeless = (await world.key({ scopes: [] })).secret
    scopelessAndPoor = await exhausted([])
    disabled = world.services.disabledOperations as Set<string>
    const project = await things.fresh('project')
    archivedTask = (await things.make('/v1/tasks', { workspace: things.id('workspace'), title: 'Old', project })).id
    await things.make(`/v1/projects/${project}/archive`, {})
    deletedTask = await things.fresh('task')
    assert.equal((await world.delete(`/v1/tasks/${deletedTask}`)).status, 200)
  })

  const unknownUser = newId('usr', 1)
  const never = newId('tsk', 1)
  let lapsed = false

  const faults: readonly Fault[] = [
    {
      name: 'a credential in the URL',
      code: 'invalid_api_key',
      param: null,
      place: 'url',
      apply: (draft) => draft.query.push(`x=${makeCredential('api_key', 'live')}`),
    },
    {
      name: 'no credential',
      code: 'missing_api_key',
      param: null,
      place: 'key',
      apply: (draft) => {
        draft.key = null
      },
    },
    {
      name: 'an operation switched off',
      code: 'endpoint_disabled',
      param: null,
      place: 'switch',
      apply: () => disabled.add('tasks.update'),
    },
    {
      name: 'a lapsed plan',
      code: 'plan_required',
      param: null,
      place: 'plan',
      apply: () => {
        lapsed = true
      },
    },
    {
      name: 'a missing scope',
      code: 'insufficient_scope',
      param: null,
      place: 'scope',
      apply: (draft) => {
        draft.key = draft.key === poor ? scopelessAndPoor : draft.key === null ? null : scopeless
      },
    },
    {
      name: 'no credits',
      code: 'rate_limit_exceeded',
      param: null,
      place: 'credits',
      apply: (draft) => {
        draft.key = draft.key === scopeless ? scopelessAndPoor : draft.key === null ? null : poor
      },
    },
    {
      name: 'no Idempotency-Key',
      code: 'idempotency_key_required',
      param: 'Idempotency-Key',
      place: 'idempotency',
      apply: (draft) => {
        draft.idempotencyKey = null
      },
    },
    {
      name: 'malformed JSON',
      code: 'invalid_request_body',
      param: null,
      place: 'json',
      apply: (draft) => {
        draft.malformed = true
      },
    },
    {
      name: 'an unknown query parameter',
      code: 'invalid_query_parameter',
      param: 'colour',
      place: 'query',
      apply: (draft) => draft.query.push('colour=red'),
    },
    {
      name: 'a body that does not fit the schema',
      code: 'invalid_request_body',
      param: 'title',
      place: 'schema',
      apply: (draft) => {
        draft.body.title = 5
      },
    },
    {
      name: 'an Idempotency-Key used with other input',
      code: 'idempotency_key_reused',
      param: 'Idempotency-Key',
      place: 'idempotency',
      apply: (draft) => {
        draft.idempotencyKey = 'used-before'
      },
    },
    {
      name: 'a target that never existed',
      code: 'resource_not_found',
      param: null,
      place: 'target',
      apply: (draft) => {
        draft.id = never
      },
    },
    {
      name: 'a deleted target',
      code: 'resource_deleted',
      param: null,
      place: 'target',
      apply: (draft) => {
        draft.id = deletedTask
      },
    },
    {
      name: 'another revision',
      code: 'resource_conflict',
      param: 'If-Match',
      place: 'state',
      apply: (draft) => {
        draft.headers['if-match'] = '"999"'
      },
    },
    {
      name: 'a state that does not allow it',
      code: 'resource_conflict',
      param: null,
      place: 'target',
      apply: (draft) => {
        draft.id = archivedTask
      },
    },
    {
      name: 'an unknown assignee',
      code: 'invalid_request_body',
      param: 'assignee',
      place: 'reference',
      apply: (draft) => {
        draft.body.assignee = unknownUser
      },
    },
  ]

  async function sendWith(first: Fault, second: Fault): Promise<Reply> {
    const draft: Draft = {
      key: world.acme.key,
      id: things.id('task'),
      query: [],
      idempotencyKey: newId('key', 1),
      malformed: false,
      body: { priority: 'high' },
      headers: {},
    }
    first.apply(draft)
    second.apply(draft)
    if (lapsed) await change(world, setPlan, { organization: world.acme.id, plan: null })
    const { key, headers, idempotencyKey } = draft
    const search = draft.query.length === 0 ? '' : `?${draft.query.join('&')}`
    try {
      return await world.call('PATCH', `/v1/tasks/${draft.id}${search}`, {
        key,
        headers,
        idempotencyKey,
        ...(draft.malformed ? { raw: '{"title": ' } : { body: draft.body }),
      })
    } finally {
      if (lapsed) await change(world, setPlan, { organization: world.acme.id, plan: 'enterprise' })
      lapsed = false
      disabled.delete('tasks.update')
    }
  }

  it('is refused for the one that is checked first, for every pair', async () => {
    const used = await world.patch(
      `/v1/tasks/${things.id('task')}`,
      { priority: 'low' },
      { idempotencyKey: 'used-before' },
    )
    assert.equal(used.status, 200)
    await world.markWritten()
    let pairs = 0
    for (const [i, first] of faults.entries()) {
      for (const second of faults.slice(i + 1)) {
        if (first.place === second.place) continue
        const about = `${first.name}, then ${second.name}`
        assertRefused(await sendWith(first, second), first.code, first.param, about)
        pairs++
      }
    }
    assert.ok(pairs > 100, `${pairs} pairs`)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('has faults that are each refused alone', async () => {
    for (const fault of faults) {
      assertRefused(await sendWith(fault, { ...fault, apply: () => {} }), fault.code, fault.param, fault.name)
    }
  })

  it('in the body is refused before its target is looked up', async () => {
    const key = newId('key', 1)
    const path = `/v1/tasks/${never}`
    assertRefused(await world.patch(path, { priority: 'low' }, { idempotencyKey: key }), 'resource_not_found')
    assertRefused(await world.patch(path, { priority: 'high' }, { idempotencyKey: key }), 'idempotency_key_reused')
  })
})
