import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Color, Id, Nullable, Position, Title } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import { newId } from '../../lib/ids.ts'
import { projectNoun, requireActiveProject } from '../projects/project.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { Column, showColumn } from './column.ts'
import { columnCreated } from './events.ts'
import { nextPosition } from './queries.ts'

/** Creates a column in an active project; without a position it is the last one. */
export const createColumn = writeOperation({
  id: 'columns.create',
  method: 'POST',
  path: '/v1/columns',
  summary: 'Create a column',
  scope: 'projects:write',
  credits: 10,
  body: {
    workspace: Id,
    project: Id,
    name: Title,
    position: Type.Optional(Position),
    color: Type.Optional(Nullable(Color)),
    status: Type.Optional(Column.properties.status),
  },
  returns: Column,
  emits: [columnCreated],
  example: { body: { workspace: '{workspace}', project: '{project}', name: 'Implementable', color: '#3366ff' } },
  async handle({ body, caller, tx, now, emit }) {
    const workspace = await findReference(workspaceNoun, { tx, caller }, body.workspace, 'workspace')
    const project = await findReference(projectNoun, { tx, caller }, body.project, 'project', workspace.id)
    requireActiveProject(project, 'project')
    const row = {
      realm: caller.realm,
      id: newId('col', now),
      created: now,
      updated: now,
      revision: 1,
      deleted_at: null,
      workspace: workspace.id,
      project: project.id,
      name: body.name,
      position: body.position ?? (await nextPosition(tx, project)),
      color: body.color ?? null,
      status: body.status ?? null,
    }
    tx.insert('columns', row)
    const column = showColumn(row)
    emit(columnCreated, column)
    return column
  },
})
