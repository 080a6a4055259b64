/** Inserts rows for tests of tasks directly, without operations of other resources. */

import { type Organization, started_at, type World } from '../../../test/world.ts'
import { scopes } from '../../api/declare/scopes.ts'
import type { CommentRow, DependencyRow, MemberRow, ProjectRow, Schema, TaskRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { insertTask } from './shared/insert.ts'

/** All scopes except the named ones. */
export function allBut(...excluded: string[]) {
  return scopes.filter((scope) => !excluded.includes(scope))
}

export async function arrange(world: World, write: (tx: Tx) => void): Promise<void> {
  await world.services.store.write('system', async (tx) => write(tx))
}

function base(organization: Organization, prefix: string) {
  const id = newId(prefix, started_at)
  return {
    realm: organization.realms.live,
    id,
    created: started_at,
    updated: started_at,
    revision: 1,
    deleted_at: null,
  }
}

interface Named {
  readonly id: string
}

/** A new workspace of Acme, created through the API. */
export async function workspaceOf(world: World, title = 'Kubernetes Enhancement Proposals') {
  return (await world.make('/v1/workspaces', { title })) as Named & { readonly key: string }
}

export async function insertProject(
  world: World,
  workspace: Named,
  more: Partial<ProjectRow> = {},
  organization = world.acme,
): Promise<ProjectRow> {
  const row: ProjectRow = {
    ...base(organization, 'prj'),
    workspace: workspace.id,
    portfolio: null,
    name: 'Node',
    description: null,
    status: 'active',
    archived_at: null,
    duplicated_from: null,
    ...more,
  }
  await arrange(world, (tx) => tx.insert('projects', row))
  return row
}

export async function insertColumn(world: World, project: ProjectRow, more: Partial<Schema['columns']> = {}) {
  const row = {
    ...base(world.acme, 'col'),
    realm: project.realm,
    workspace: project.workspace,
    project: project.id,
    name: 'Doing',
    position: 1024,
    color: null,
    status: null,
    ...more,
  }
  await arrange(world, (tx) => tx.insert('columns', row))
  return row
}

export async function insertPortfolio(world: World, workspace: Named, more: Partial<Schema['portfolios']> = {}) {
  const row = {
    ...base(world.acme, 'pfl'),
    workspace: workspace.id,
    name: 'Release 1.40',
    description: null,
    status: 'active',
    archived_at: null,
    ...more,
  }
  await arrange(world, (tx) => tx.insert('portfolios', row))
  return row
}

export async function insertMember(world: World, status: string): Promise<MemberRow> {
  const row = {
    organization: world.acme.id,
    id: newId('mbr', started_at),
    created: started_at,
    updated: started_at,
    user: newId('usr', started_at),
    email: null,
    first_name: 'Ann',
    last_name: null,
    profile_picture_url: null,
    role: null,
    status,
  }
  await arrange(world, (tx) => tx.insert('members', row))
  return row
}

export async function insertComment(world: World, task: { id: string; workspace: string }, body: string) {
  const row: CommentRow = {
    ...base(world.acme, 'cmt'),
    workspace: task.workspace,
    task: task.id,
    body,
    mentions: '[]',
    author_type: 'service_user',
    author_id: 'usr_1',
    edited_at: null,
    attachments: '[]',
  }
  await arrange(world, (tx) => tx.insert('comments', row))
  return row
}

export async function insertDependency(world: World, project: Named & { workspace: string }, from: string, to: string) {
  const row: DependencyRow = {
    ...base(world.acme, 'dep'),
    workspace: project.workspace,
    project: project.id,
    from,
    to,
    kind: 'blocks',
    creator_type: 'organization',
    creator_id: world.acme.id,
  }
  await arrange(world, (tx) => tx.insert('dependencies', row))
  return row
}

/** Inserts a task for each of `rows`, with these values in place of the defaults. */
export async function insertTasks(
  world: World,
  workspace: Named,
  rows: readonly Partial<TaskRow>[],
): Promise<TaskRow[]> {
  const made = rows.map(
    (more, i): TaskRow => ({
      ...base(world.acme, 'tsk'),
      workspace: workspace.id,
      number: i + 1,
      key: `${workspace.id}-${i + 1}`,
      project: null,
      column: null,
      title: `Task ${i}`,
      description: null,
      description_folded: null,
      mentions: '[]',
      status: 'todo',
      priority: 'none',
      priority_rank: 0,
      assignee: null,
      creator_type: 'organization',
      creator_id: world.acme.id,
      start_at: null,
      due_at: null,
      completed_at: null,
      is_archived: 0,
      labels: '[]',
      custom_fields: '{}',
      attachments: '[]',
      parent: null,
      subtask_count: 0,
      subtask_done_count: 0,
      position: (i + 1) * 1024,
      template: null,
      ...more,
      title_folded: (more.title ?? `Task ${i}`).toLowerCase(),
    }),
  )
  await arrange(world, (tx) => {
    for (const row of made) insertTask(tx, row)
  })
  return made
}
