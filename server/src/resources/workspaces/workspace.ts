/** The workspace: contains projects and tasks and gives tasks their keys (contract/14#workspace). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import { described, head, Revision, Title } from '../../api/declare/shapes.ts'
import type { WorkspaceRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const Workspace = Type.Object({
  ...head('workspace'),
  title: described(Title, 'Name of the workspace.'),
  key: described(
    Type.String({ pattern: '^[A-Z]{2,6}$' }),
    'Prefix of the keys of its tasks; unique, derived from the title, never changes.',
  ),
  status: described(Type.String(), 'State of the workspace: `active`.'),
  default_currency: described(Type.String(), 'ISO 4217 code that amounts use by default.'),
  revision: Revision,
})

export type Workspace = Static<typeof Workspace>

export function showWorkspace(row: WorkspaceRow): Workspace {
  return {
    id: row.id,
    object: 'workspace',
    created: seconds(row.created),
    updated: seconds(row.updated),
    title: row.title,
    key: row.key,
    status: row.status,
    default_currency: row.default_currency,
    revision: row.revision,
  }
}

export const workspaceNoun = noun({
  object: 'workspace',
  prefix: 'wsp',
  table: 'workspaces',
  schema: Workspace,
  readScope: 'workspaces:read',
  guests: { column: 'id', of: 'workspaces' },
  workspaced: false,
  show: showWorkspace,
})

/**
 * The keys that a title suggests, best first and without end: the initials of its words (`Kubernetes Enhancement
 * Proposals` → `KEP`) or the first letters of its only word, then the same with other last letters.
 */
export function* suggestKeys(title: string): Generator<string> {
  const words = title
    .normalize('NFD')
    .toUpperCase()
    .replaceAll(/[^A-Z ]/g, ' ')
    .split(' ')
    .filter((word) => word !== '')
  const initials = words.map((word) => word[0]).join('')
  const letters = words.join('')
  const first = initials.length >= 2 ? initials.slice(0, 6) : letters.slice(0, 3)
  const stem = first.length >= 2 ? first : `${first}WS`.slice(0, 2)
  yield stem
  for (let n = 0; ; n++) {
    let suffix = ''
    for (let rest = n; suffix === '' || rest > 0; rest = Math.floor(rest / 26)) {
      suffix = String.fromCharCode(65 + (rest % 26)) + suffix
    }
    if (suffix.length > 5) return
    yield stem.slice(0, 6 - suffix.length) + suffix
  }
}
