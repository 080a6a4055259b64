import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id, Position } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { findReference } from '../../api/request/references.ts'
import type { CustomFieldRow } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { CustomField, SentOptions, showCustomField } from './custom_field.ts'
import { customFieldCreated } from './events.ts'
import { readOptions } from './options.ts'
import { fieldsOf } from './shared/queries.ts'

const { key, name, type } = CustomField.properties

/**
 * Gives a key of tasks' `custom_fields` a name and a type; without a position it is the last field. From then on writes of
 * the workspace's tasks are checked against it. Values from before stay. A workspace has at most 50 fields.
 */
export const createCustomField = writeOperation({
  id: 'custom_fields.create',
  method: 'POST',
  path: '/v1/custom_fields',
  summary: 'Create a custom field',
  scope: 'workspaces:write',
  credits: 10,
  extension: true,
  body: {
    workspace: described(Id, 'Workspace whose tasks have the field.'),
    key,
    name,
    type,
    options: Type.Optional(SentOptions),
    position: Type.Optional(Position),
  },
  returns: CustomField,
  emits: [customFieldCreated],
  example: {
    body: {
      workspace: '{workspace}',
      key: 'stage',
      name: 'Stage',
      type: 'select',
      options: [
        { id: 'alpha', name: 'Alpha', color: '#8899aa' },
        { id: 'beta', name: 'Beta' },
      ],
    },
  },
  async handle({ body, caller, tx, now, emit }) {
    const workspace = await findReference(workspaceNoun, { tx, caller }, body.workspace, 'workspace')
    const defined = await fieldsOf(tx, caller.realm, workspace.id)
    const options = readOptions(
      { workspace: workspace.id, key: body.key, type: body.type, now },
      body.options ?? [],
      [],
    )
    requireRoom(defined, body.key)
    const row = {
      realm: caller.realm,
      id: newId('cfd', now),
      created: now,
      updated: now,
      revision: 1,
      deleted_at: null,
      workspace: workspace.id,
      key: body.key,
      name: body.name,
      type: body.type,
      options: JSON.stringify(options),
      position: body.position ?? nextPosition(defined),
    }
    tx.insert('custom_fields', row)
    const field = showCustomField(row)
    emit(customFieldCreated, field)
    return field
  },
})

/** Refuses a key that is defined already, and a field too many. */
function requireRoom(defined: readonly CustomFieldRow[], sent: string): void {
  const same = defined.find((row) => row.key === sent)
  if (same !== undefined) {
    const message = `The workspace has a custom field with the key "${sent}": ${same.id}.`
    throw refuse('resource_conflict', { param: 'key', message })
  }
  if (defined.length < limits.fields_defined_max) return
  const message = `The workspace has ${defined.length} custom fields, as many as it can have. Delete one first.`
  throw refuse('resource_conflict', { param: 'key', message })
}

function nextPosition(defined: readonly CustomFieldRow[]): number {
  const last = Math.max(0, ...defined.map(({ position }) => position))
  return Math.min(last + limits.position_step, limits.position_max)
}
