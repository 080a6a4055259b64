/** The platform's operations about itself, its callers and its logs. */
import { integer, list, nullable, oneOf, query_moment, query_word, title } from './forms.ts'
import { cursorPage, shows } from './lists.ts'
import { auditLog, showRequest, showUsage } from './logs.ts'
import { type Json, maybeTime } from './names.ts'
import { type Answer, type Context, operation } from './operation.ts'
import { badBody, notFound, Refused } from './refused.ts'
import { alive, type Credential, type Thing } from './state.ts'
import { listOf } from './things.ts'

export const scopes = [
  ...['api:read', 'api:manage', 'workspaces:read', 'workspaces:write', 'projects:read', 'projects:write', 'tasks:read'],
  ...['tasks:write', 'comments:read', 'comments:write', 'time_entries:read', 'time_entries:write', 'billing:read'],
  ...[
    'billing:write',
    'boards:read',
    'boards:write',
    'automations:read',
    'automations:write',
    'files:read',
    'files:write',
  ],
]

const api = operation('api.retrieve', {
  run: ({ credential }) => ({
    id: 'api_service',
    object: 'api',
    created: 1_785_715_200,
    version: '2026-08-03',
    livemode: credential.mode === 'live',
  }),
})

const me = operation('me.retrieve', {
  run: ({ model, credential }) => ({
    id: credential.id,
    object: 'api_identity',
    created: maybeTime,
    organization: { id: model.setting.organization.id as string, object: 'organization' },
    owner: { ...credential.owner },
    scopes: credential.scopes,
    plan: model.data.plan as string,
    mode: credential.mode,
    api_version: '2026-08-03',
    limits: { credits_per_minute: model.setting.limits.minute, credits_per_day: model.setting.limits.day },
  }),
})

const organization = operation('organizations.retrieve', {
  run({ model, params }) {
    if (params.id !== model.setting.organization.id) throw notFound()
    return { ...model.setting.organization, plan: model.data.plan as string } as Answer
  },
})

const statusOf = ({ shown }: Thing, now: number): string =>
  shown.expires_at !== null && Number(shown.expires_at) <= now ? 'expired' : 'active'

/** A key as shown at a moment: after its expiry its status is `expired`. */
function shownKey(key: Thing, now: number): Answer {
  return { ...key.shown, status: statusOf(key, now), last_used_at: maybeTime } as Answer
}

const createKey = operation('api_keys.create', {
  body: {
    name: title,
    scopes: list(oneOf(...scopes), 1, 20),
    expires_at: nullable(integer(0, 8_640_000_000_000, [1_900_000_000, 4_000_000_000, 1])),
  },
  needs: ['name', 'scopes'],
  weight: 2,
  run(context) {
    const { model, realm, credential, body, now } = context
    if (typeof body.expires_at === 'number' && body.expires_at <= now) throw badBody('expires_at')
    const incoming = body.scopes as string[]
    if (incoming.some((scope) => !credential.scopes.includes(scope))) throw new Refused('insufficient_scope')
    const owner = { type: 'organization', id: model.setting.organization.id as string }
    const { made, secret } = addKey(context, {
      name: body.name as string,
      scopes: incoming,
      owner,
      expires: (body.expires_at as number | null | undefined) ?? null,
    })
    model.recordEvent('platform.api_key.created', made)
    context.audit.target = made
    const kept: Credential = {
      id: made.id,
      secret,
      mode: realm.mode,
      scopes: incoming,
      owner,
      kind: 'api_key',
      expires: made.shown.expires_at as number | null,
      isGone: false,
    }
    model.data.credentials.push(kept)
    return { ...shownKey(made, now), secret }
  },
})

interface NewKey {
  readonly name: string
  readonly scopes: readonly string[]
  readonly owner: { readonly type: string; readonly id: string }
  readonly expires: number | null
}

function addKey(
  { model, realm }: Context,
  { name, scopes: held, owner, expires }: NewKey,
): { made: Thing; secret: string } {
  const made = model.add(realm, 'api_key', {
    ...model.head('api_key'),
    name,
    hint: model.name('hint'),
    last4: model.name('tail'),
    scopes: held,
    owner,
    mode: realm.mode,
    api_version: '2026-08-03',
    status: 'active',
    expires_at: expires,
    previous_secret_expires_at: null,
    last_used_at: null,
    revision: 1,
  })
  return { made, secret: model.name('secret') }
}

const deleteKey = operation('api_keys.delete', {
  target: 'api_key',
  isGuarded: true,
  run(context) {
    const { model, target, now } = context
    const credential = model.credential(target.id)
    if (credential !== undefined) credential.isGone = true
    target.shown = { ...target.shown, status: statusOf(target, now) }
    model.remove(target, 'platform.api_key.deleted')
    return { id: target.id, object: 'api_key', deleted: true }
  },
})

const seven_days = 7 * 86_400

const requestLog = operation('request_logs.retrieve', {
  weight: 2,
  run({ model, realm, params, now }) {
    const found = model.data.requests.find(({ id }) => id === params.id)
    if (found === undefined || found.mode !== realm.mode) throw notFound()
    if (found.created + seven_days <= now) throw new Refused('resource_deleted', null)
    return showRequest(found)
  },
})

/** A legacy room id stands for all boards that have it now. */
const roomsOf = ({ realm, many }: Context): string[] | undefined =>
  many.room?.flatMap((room) => {
    const boards = realm.things.filter(({ kind, shown }) => kind === 'board' && shown.legacy_room_id === room)
    return [room, ...boards.map(({ id }) => id)]
  })

/** The filtered actions of the caller's realm, newest first. */
function listAudit(context: Context): Answer {
  const { query, many, model } = context
  const { created_after = null, created_before = null } = query
  const { action: actions, actor: actors, room: named } = many
  const rooms = roomsOf(context)
  const earlier = model.earlierAudit(context.realm.mode)
  const rows = [...auditLog(context), ...earlier].filter(({ id, shown }) => {
    const isEarlier = id.startsWith('early')
    const early = { action: '', credential: '', room: '', created: model.setting.began }
    const { action, credential, room, created } = (isEarlier ? early : shown) as { readonly [name: string]: Json }
    if (created_after !== null && Number(created) <= Number(created_after)) return false
    if (created_before !== null && Number(created) >= Number(created_before)) return false
    const isOf = (wanted: readonly string[] | undefined, value: Json | undefined) =>
      wanted?.includes(String(value)) ?? true
    return isOf(actions, action) && isOf(actors, credential) && isOf(rooms, room)
  })
  const filters = [actions ?? null, actors ?? null, named ?? null, created_after, created_before]
  return cursorPage(context, rows, filters)
}

export const platform = [
  api,
  me,
  organization,
  operation('members.list', { run: (context) => listOf(context, 'member') }),
  operation('teams.list', { run: (context) => listOf(context, 'team') }),
  operation('api_keys.list', {
    run(context) {
      const listed = listOf(context, 'api_key') as { data: Answer[] } & Answer
      const things = new Map(alive(context.realm, 'api_key').map((thing) => [thing.id, thing]))
      return { ...listed, data: listed.data.map(({ id }) => shownKey(things.get(id as string) as Thing, context.now)) }
    },
  }),
  createKey,
  deleteKey,
  operation('usage.retrieve', { run: ({ model, credential }) => showUsage(model, credential) }),
  requestLog,
  operation('audit_logs.list', {
    query: {
      'action[]': query_word('tasks.create', 'tasks.update', 'projects.archive', 'boards.create', 'none.such'),
      'actor[]': { ...query_word('key_x'), good: (n, finder) => finder.reference('api_key', n) },
      'room[]': { ...query_word('brd_x'), good: (n, finder) => finder.reference('board', n) },
      created_after: query_moment,
      created_before: query_moment,
    },
    weight: 2,
    run: listAudit,
  }),
]

const head = ['id', 'object', 'created', 'updated']
shows('members.list', [...head, 'user', 'email', 'first_name', 'last_name', 'profile_picture_url', 'role', 'status'])
shows('teams.list', [...head, 'name', 'description'])
