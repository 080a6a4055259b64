/**
 * Seeds the product's database: an organization with members, projects, columns and tasks, every row as the API writes it (tasks
 * through the function behind `POST /v1/tasks/batch`), and keys for the load. Without events, like the floors.
 */
import type { Caller } from '../server/src/api/declare/caller.ts'
import { scopes } from '../server/src/api/declare/scopes.ts'
import { newest_version } from '../server/src/api/declare/version.ts'
import { limits } from '../server/src/api/limits.ts'
import { readConfig } from '../server/src/config.ts'
import type { Tx } from '../server/src/db/store.ts'
import { HandClock } from '../server/src/lib/clock.ts'
import { newId } from '../server/src/lib/ids.ts'
import { type OpenServices, openServices } from '../server/src/main.ts'
import { issueCredential } from '../server/src/resources/api_keys/issue.ts'
import { foundOrganization } from '../server/src/resources/organizations/found.ts'
import { createTasks } from '../server/src/resources/tasks/shared/create.ts'
import type { NewTask } from '../server/src/resources/tasks/task.ts'
import type { Target } from './target.ts'

const projects_max = 50
const columns_a_project = 5
const members_max = 200
/** Tasks per commit; commits are one second apart. */
const batch_max = 1000

const description =
  'A description of ordinary length, as people write them in trackers: two sentences. This is the second one.'

/** The surroundings of the tasks. */
export interface Frame {
  readonly caller: Caller
  readonly workspace: string
  readonly projects: readonly { readonly id: string; readonly columns: readonly string[] }[]
  readonly users: readonly string[]
}

export interface Seed {
  readonly tasks: number
  /** Replaces the ordinary task at a position. */
  readonly task?: (frame: Frame, i: number, of: number) => NewTask
  /** Access tokens besides the key; their number per organization is unlimited. */
  readonly tokens?: number
}

export interface Seeded extends Target {
  readonly frame: Frame
  readonly tokens: readonly string[]
}

/** Seeds the empty database named by the environment and returns what the load needs. */
export async function seedProduct(environment: Readonly<Record<string, string>>, seed: Seed): Promise<Seeded> {
  return (await seedOrganizations(environment, seed, 1))[0] as Seeded
}

/** The same for several organizations, each with its own key, surroundings and number of tasks. */
export async function seedOrganizations(
  environment: Readonly<Record<string, string>>,
  seed: Seed,
  organizations: number,
): Promise<Seeded[]> {
  // The seeded day ends before now, so that new ids sort after the seeded ones.
  const clock = new HandClock(Date.now() - 86_400_000)
  const services = await openServices(readConfig(environment), { clock })
  try {
    const seeded: Seeded[] = []
    for (let i = 0; i < organizations; i++) seeded.push(await seedOrganization(services, clock, seed, i))
    return seeded
  } finally {
    await services.close()
  }
}

async function seedOrganization(services: OpenServices, clock: HandClock, seed: Seed, i: number): Promise<Seeded> {
  const { tasks, task = ordinaryTask } = seed
  const { frame, secret } = await seedFrame(services, i)
  const tokens = await issueTokens(services, frame.caller, seed.tokens ?? 0)
  const ids: string[] = []
  for (let from = 0; from < tasks; from += batch_max) {
    clock.advance(1000)
    const drafts = Array.from({ length: Math.min(batch_max, tasks - from) }, (_, n) => ({
      fields: task(frame, from + n, tasks),
    }))
    const made = await services.store.write('system', (tx) =>
      createTasks({ tx, caller: frame.caller, now: clock.now(), emit: () => {} }, frame.workspace, drafts),
    )
    for (const { row } of made) ids.push(row.id)
  }
  return { ...requests(frame), key: secret, ids, frame, tokens }
}

async function seedFrame(services: OpenServices, i: number): Promise<{ frame: Frame; secret: string }> {
  const { organization, realms } = await foundOrganization(services, {
    name: 'Bench',
    ownerEmail: `owner${i === 0 ? '' : i}@bench.example`,
    plan: 'enterprise',
    domains: [],
  })
  const now = services.clock.now()
  return await services.store.write('system', async (tx) => {
    const issued = issueCredential(
      tx,
      services.sealer,
      {
        kind: 'api_key',
        organization,
        realm: realms.live,
        mode: 'live',
        name: 'Bench',
        scopes,
        owner: { type: 'organization', id: organization },
        expiresAt: null,
      },
      now,
    )
    const caller: Caller = {
      credential: issued.row.id,
      kind: 'api_key',
      organization,
      realm: realms.live,
      mode: 'live',
      plan: 'enterprise',
      scopes: new Set(scopes),
      owner: { type: 'organization', id: organization },
      apiVersion: newest_version,
      serviceUser: organization,
      createdAt: now,
      expiresAt: null,
      guest: null,
      storeScope: { organization, realms: [realms.live] },
    }
    return { frame: { caller, ...addFrame(tx, caller, now) }, secret: issued.secret }
  })
}

function issueTokens({ store, sealer }: OpenServices, caller: Caller, count: number): Promise<string[]> {
  const { organization, realm, mode } = caller
  const now = Date.now()
  return store.write('system', async (tx) =>
    Array.from({ length: count }, () => {
      const owner = { type: 'application', id: newId('app', now) } as const
      const issue = { kind: 'access_token', organization, realm, mode, name: 'Bench', scopes, owner } as const
      return issueCredential(tx, sealer, { ...issue, expiresAt: now + limits.access_token_ms }, now).secret
    }),
  )
}

/** A workspace, its projects with columns, and the assignees. */
function addFrame(tx: Tx, { organization, realm }: Caller, now: number): Omit<Frame, 'caller'> {
  const head = (prefix: string) => ({
    realm,
    id: newId(prefix, now),
    created: now,
    updated: now,
    revision: 1,
    deleted_at: null,
  })
  const workspace = { ...head('wsp'), title: 'Bench', key: 'BEN', status: 'active', default_currency: 'EUR' }
  tx.insert('workspaces', { ...workspace, last_number: 0 })
  const projects = Array.from({ length: projects_max }, (_, i) => {
    const project = { ...head('prj'), workspace: workspace.id, name: `Project ${i + 1}`, status: 'active' }
    tx.insert('projects', { ...project, portfolio: null, description: null, archived_at: null, duplicated_from: null })
    const columns = Array.from({ length: columns_a_project }, (_, j) => {
      const column = { ...head('col'), workspace: workspace.id, project: project.id, name: `Column ${j + 1}` }
      tx.insert('columns', { ...column, position: (j + 1) * 1024, color: null, status: null })
      return column.id
    })
    return { id: project.id, columns }
  })
  const users = Array.from({ length: members_max }, (_, i) => {
    const user = newId('usr', now)
    tx.insert('members', {
      organization,
      id: newId('mbr', now),
      created: now,
      updated: now,
      user,
      email: `member${i + 1}@bench.example`,
      first_name: null,
      last_name: null,
      profile_picture_url: null,
      role: null,
      status: 'active',
    })
    return user
  })
  return { workspace: workspace.id, projects, users }
}

/** The same task as the floors', in the product's terms. */
export function ordinaryTask(frame: Frame, i: number): NewTask {
  const project = frame.projects[i % projects_max] as Frame['projects'][number]
  return {
    title: `Task number ${i}`,
    project: project.id,
    column: project.columns[i % columns_a_project] as string,
    description,
    status: (['todo', 'in_progress', 'done'] as const)[i % 3] as 'todo',
    priority: (['low', 'medium', 'high'] as const)[i % 3] as 'low',
    assignee: i % 4 === 0 ? null : (frame.users[i % members_max] as string),
    due_at: 1_790_000_000 + i,
    labels: ['backend', 'urgent'],
    custom_fields: { points: 3 },
  }
}

/** The same requests as the floors', in the product's terms. */
function requests(frame: Frame): Pick<Target, 'list' | 'create' | 'update' | 'batch'> {
  const { workspace, ...task } = newTask(frame)
  return {
    list: `/v1/tasks?workspace=${frame.workspace}&limit=20&starting_after=`,
    create: { workspace, ...task },
    update: { title: 'Renamed NUMBER', status: 'in_progress' },
    batch: { workspace, data: Array.from({ length: limits.batch_tasks_max }, () => task) },
  }
}

function newTask(frame: Frame) {
  return {
    workspace: frame.workspace,
    project: frame.projects[1]?.id,
    title: 'A new task of ordinary length',
    description,
    status: 'todo',
    priority: 'medium',
    assignee: frame.users[7],
    due_at: 1_790_000_000,
    labels: ['backend', 'urgent'],
    custom_fields: { points: 3 },
  }
}
