/** The model of a newly founded organization. */
import type { Setting } from './kinds.ts'
import type { Fields, Json } from './names.ts'
import { scopes } from './platform.ts'
import { type Beginning, first } from './server.ts'
import { type Credential, type Data, newRealm, type Thing } from './state.ts'

export function platformSetting(
  beginning: Beginning,
  now: number,
): { data: Data; rest: Omit<Setting, 'limits' | 'receivers' | 'foreign'> } {
  const owner = { type: 'organization', id: first.organization }
  const credentials: Credential[] = first.credentials.map(({ id, secret }, i) => ({
    id,
    secret,
    mode: i === 0 ? 'live' : 'test',
    scopes,
    owner,
    kind: 'api_key',
    expires: null,
    isGone: false,
  }))
  const { members, teams } = peopleOf(now)
  const data: Data = {
    plan: 'enterprise',
    realms: { live: newRealm('live', beginning.events.live), test: newRealm('test', beginning.events.test) },
    credentials,
    windows: {},
    audit: [],
    requests: [],
    disabled: [],
  }
  for (const [i, mode] of (['live', 'test'] as const).entries()) {
    const { things } = data.realms[mode]
    for (const shown of members) things.push(thing('member', shown))
    for (const shown of teams) things.push(thing('team', shown))
    things.push({ ...thing('api_key', keyOf(i, mode, owner, now)), hidden: { isKept: true } })
  }
  const domains = [{ domain: 'example.com', state: 'verified' }]
  const organization = {
    id: first.organization,
    object: 'organization',
    created: now,
    updated: now,
    name: 'Trial',
    plan: 'enterprise',
    domains,
  }
  const rest = { organization, serviceUser: first.service, members, teams, earlierAudit: beginning.audit, began: now }
  return { data, rest }
}

/** The members and teams at the beginning, as the API shows them. */
function peopleOf(now: number): { members: Fields[]; teams: Fields[] } {
  const times = { created: now, updated: now }
  const unnamed = { first_name: null, last_name: null, profile_picture_url: null }
  const members = first.members.map(({ id, user, email, role, status }) => ({
    ...{ id, object: 'member', ...times, user, email },
    ...unnamed,
    ...{ role, status },
  }))
  const teams = first.teams.map(({ id, name, description }) => ({ id, object: 'team', ...times, name, description }))
  return { members, teams }
}

const thing = (kind: string, shown: Fields): Thing => ({
  kind,
  id: shown.id as string,
  shown,
  isDeleted: false,
  hidden: {},
})

/** The initial key. */
function keyOf(i: number, mode: string, owner: Json, now: number): Fields {
  const named = { id: first.credentials[i as 0 | 1].id, object: 'api_key', created: now, updated: now, name: 'A key' }
  const parts = { hint: `hint~00004${i}`, last4: `tail~00004${i}`, scopes, owner, mode, api_version: '2026-08-03' }
  return { ...named, ...parts, status: 'active', expires_at: null, last_used_at: null, revision: 1 }
}
