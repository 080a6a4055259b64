/** Webhook endpoints and the events sent to them. */
import { type Form, flag, list, oneOf } from './forms.ts'
import { isRehearsal } from './input.ts'
import { cursorPage } from './lists.ts'
import { eventLog } from './logs.ts'
import type { Model } from './model.ts'
import { anything, type Expected, type Json } from './names.ts'
import { type Answer, type Context, operation } from './operation.ts'
import { AmbiguousRequest, badBody, badQuery, conflict, notFound, Refused } from './refused.ts'
import { alive, type Commit, type Realm, type Thing } from './state.ts'
import { given } from './work.ts'

const day = 86_400

/** The URL of a webhook, by what its receiver does. */
const url: Form = {
  good: (n, finder) => {
    const { good, bad, gone } = (finder as Model).setting.receivers
    const odd = n.below(100)
    if (odd === 99) return gone
    if (odd >= 92)
      return n.pick([
        'hooks',
        'ftp://127.0.0.1/',
        'https://10.0.0.1/',
        'https://[::1]/',
        `https://me:secret@127.0.0.1/`,
      ])
    return odd >= 80 ? bad : `${good}/${n.below(3)}`
  },
  bad: [5, {}, ['x']],
  faults: (value, path) => (typeof value === 'string' ? [] : [path]),
}

const types = ['*', 'workflow.task.*', 'workflow.*', 'workflow.task.created', 'platform.api_key.created']
const one: Form = {
  good: (n) => n.pick(types),
  bad: ['', 5, 'x'.repeat(161)],
  faults: (value, path) => (typeof value === 'string' && value.length >= 1 && value.length <= 160 ? [] : [path]),
}
const event_types: Form = {
  ...list(one, 1, 100),
  good: (n, finder) => (n.chance(5) ? ['workflow.*', 'task.created'] : list(one, 1, 100).good(n, finder)),
}

function requireKnown(patterns: Json | undefined): void {
  if (!Array.isArray(patterns)) return
  if (patterns.some((pattern) => !types.includes(pattern as string))) throw badBody()
}

/** The verification of a URL. */
function verify({ model, incoming }: Context, text: string): void {
  const { good, bad, gone } = model.setting.receivers
  const mustVerify = !isRehearsal(incoming)
  if (text.startsWith(good)) return
  if (!mustVerify && (text === bad || text === gone)) return
  if (text === bad) throw new Refused('webhook_verification_failed', 'url')
  throw new Refused(text === gone ? 'webhook_target_unavailable' : 'invalid_webhook_url', 'url')
}

/** The endpoint at this moment: an expired previous secret is gone, which does not count as a change. */
function settled(endpoint: Thing, now: number): Thing {
  const until = endpoint.shown.previous_secret_expires_at
  if (until !== null && Number(until) <= now) endpoint.shown = { ...endpoint.shown, previous_secret_expires_at: null }
  return endpoint
}

const shown = (endpoint: Thing, now: number): Answer => ({ ...settled(endpoint, now).shown }) as Answer

const create = operation('webhook_endpoints.create', {
  body: { url, event_types, exclude_own_events: flag },
  needs: ['url', 'event_types'],
  weight: 3,
  run(context) {
    const { model, realm, credential, body, now } = context
    requireKnown(body.event_types)
    verify(context, body.url as string)
    const made = model.add(
      realm,
      'webhook_endpoint',
      {
        ...model.head('webhook_endpoint'),
        ...given(body, 'url', 'event_types'),
        exclude_own_events: body.exclude_own_events ?? false,
        status: 'enabled',
        status_reason: null,
        api_version: '2026-08-03',
        verified_at: now,
        previous_secret_expires_at: null,
        last_success_at: null,
        last_failure_at: null,
        consecutive_failures: 0,
        revision: 1,
      },
      { credential: credential.id },
    )
    model.recordEvent('platform.webhook_endpoint.created', made)
    context.audit.target = made
    return { ...shown(made, now), signing_secret: model.name('whsec') }
  },
})

const update = operation('webhook_endpoints.update', {
  target: 'webhook_endpoint',
  body: { url, event_types, exclude_own_events: flag, status: oneOf('enabled', 'paused') },
  isGuarded: true,
  weight: 3,
  run(context) {
    const { model, target, body, now } = context
    const before = settled(target, now).shown
    requireKnown(body.event_types)
    const place = (body.url ?? before.url) as string
    const mustVerify = place !== before.url || (body.status === 'enabled' && before.status !== 'enabled')
    if (mustVerify) verify(context, place)
    const fields = given(body, 'url', 'event_types', 'exclude_own_events', 'status')
    if (mustVerify) fields.verified_at = now
    model.change(target, fields, 'platform.webhook_endpoint.updated')
    context.audit.target = target
    return shown(target, now)
  },
})

const rotate = operation('webhook_endpoints.rotate_secret', {
  target: 'webhook_endpoint',
  weight: 2,
  run(context) {
    const { model, target, now } = context
    if (settled(target, now).shown.previous_secret_expires_at !== null) throw conflict()
    model.change(target, { previous_secret_expires_at: now + day }, 'platform.webhook_endpoint.secret_rotated')
    context.audit.target = target
    return { ...shown(target, now), signing_secret: model.name('whsec') }
  },
})

const remove = operation('webhook_endpoints.delete', {
  target: 'webhook_endpoint',
  isGuarded: true,
  run(context) {
    const { model, target, now } = context
    model.remove(settled(target, now), 'platform.webhook_endpoint.deleted')
    context.audit.target = target
    return { id: target.id, object: 'webhook_endpoint', deleted: true }
  },
})

interface FoundEvent {
  readonly id: string
  readonly commit: Commit
  readonly at: number
}

const retention = 30 * day

/** An event by its id, if its place within the commit is known. */
function findEvent(realm: Realm, reference: string, now: number): FoundEvent {
  for (const commit of realm.commits) {
    const at = commit.ids.indexOf(reference)
    if (at < 0) continue
    if (commit.created + retention <= now) throw new Refused('resource_deleted', null)
    return { id: reference, commit, at }
  }
  throw notFound()
}

function showEvent(context: Context, { id }: FoundEvent): Answer {
  const found = eventLog(context.model, context.realm).find((each) => each.id === id)
  const list = found?.shown as { readonly group: readonly { readonly [name: string]: Expected }[] }
  // Only lists show the order of events within a commit, so single retrieval works for commits of one event.
  const shownHere = list.group.length === 1 ? (list.group[0] as Answer) : null
  if (shownHere === null) return { ...blurred(list.group[0] as Answer), deliveries: anything }
  return { ...shownHere, deliveries: anything }
}

function blurred(event: Answer): Answer {
  return { ...event, type: anything, workspace: anything, data: anything }
}

const subscribes = (pattern: string, type: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))

/** Whether some, and whether all endpoints subscribe to events of a commit. */
function takers({ realm }: Context, { commit }: FoundEvent): { some: boolean; all: boolean } {
  const enabled = alive(realm, 'webhook_endpoint').filter(({ shown: fields }) => fields.status === 'enabled')
  const takes = commit.events.map(({ type }) =>
    enabled.some(({ shown: fields, hidden }) => {
      const isOwn = fields.exclude_own_events === true && commit.actor.id === hidden.credential
      return !isOwn && (fields.event_types as string[]).some((pattern) => subscribes(pattern, type))
    }),
  )
  return { some: takes.includes(true), all: !takes.includes(false) }
}

const replay = operation('events.replay', {
  weight: 2,
  run(context) {
    const found = findEvent(context.realm, context.params.id as string, context.now)
    const { some, all } = takers(context, found)
    if (some !== all) throw new AmbiguousRequest()
    if (!some) throw conflict()
    context.audit.force = true
    for (const { hidden } of alive(context.realm, 'webhook_endpoint')) hidden[`sent ${found.id}`] = true
    return showEvent(context, found)
  },
})

const resend = operation('events.resend', {
  run(context) {
    const found = findEvent(context.realm, context.params.id as string, context.now)
    const wasSent = alive(context.realm, 'webhook_endpoint').some(({ hidden }) => hidden[`sent ${found.id}`] === true)
    if (wasSent) throw new AmbiguousRequest()
    throw conflict()
  },
})

const stream = operation('events.stream', {
  query: { 'types[]': { ...one, bad: [''] } },
  needsQuery: ['types'],
  headers: (n, model): Record<string, string> => (n.chance(60) ? { 'last-event-id': model.reference('event', n) } : {}),
  run(context) {
    const { model, realm, many, incoming, now } = context
    const patterns = many.types ?? []
    if (patterns.some((pattern) => !types.includes(pattern))) throw badQuery('types')
    const last = incoming.headers['last-event-id']
    if (last === undefined) return { frames: [] }
    const from = findEvent(realm, last, now)
    if (from.commit.events.length > 1) throw new AmbiguousRequest()
    const later = realm.commits.slice(realm.commits.indexOf(from.commit) + 1)
    const wanted = later.filter(({ events }) =>
      events.every(({ type }) => patterns.some((each) => subscribes(each, type))),
    )
    const isMixed = later.some(
      ({ events }) =>
        !wanted.some((commit) => commit.events === events) &&
        events.some(({ type }) => patterns.some((each) => subscribes(each, type))),
    )
    if (isMixed) throw new AmbiguousRequest()
    const ids = new Set(wanted.flatMap(({ ids: of }) => of))
    return {
      frames: eventLog(model, realm)
        .filter(({ id }) => ids.has(id))
        .map((each) => each.shown)
        .reverse(),
    }
  },
})

function listEndpoints(context: Context): Answer {
  const rows = alive(context.realm, 'webhook_endpoint').map((thing) => ({
    id: thing.id,
    shown: shown(thing, context.now),
  }))
  return cursorPage(context, rows.reverse(), null)
}

/** Events within the retention period. */
function retained({ model, realm, now }: Context) {
  const old = new Set(realm.commits.filter(({ created }) => created + retention <= now).flatMap(({ ids }) => ids))
  const isBegun = now < model.setting.began + retention
  return eventLog(model, realm).filter(({ id }) => !old.has(id) && (isBegun || !id.startsWith('early')))
}

export const hooks = [
  create,
  update,
  rotate,
  remove,
  operation('webhook_endpoints.list', { run: listEndpoints }),
  operation('webhook_endpoints.retrieve', { target: 'webhook_endpoint', run: ({ target, now }) => shown(target, now) }),
  operation('events.list', {
    weight: 4,
    run: (context) => cursorPage(context, retained(context) as { id: string; shown: Answer }[], null),
  }),
  operation('events.retrieve', {
    weight: 2,
    run: (context) => showEvent(context, findEvent(context.realm, context.params.id as string, context.now)),
  }),
  replay,
  resend,
  stream,
]
