/** One object that a search found, with the part of its text that matches (contract/14#search-result). */
import Type, { type Static } from 'typebox'
import type { AnyNoun } from '../../api/declare/noun.ts'
import { described, Id, Nullable, OneOf, Seconds } from '../../api/declare/shapes.ts'

/** The kinds of objects that a search finds. */
export const search_types = ['task', 'comment', 'project', 'board', 'file', 'portfolio'] as const

const Text = Type.String()
const Place = Type.Integer({ minimum: 0 })

export const SearchResult = Type.Object({
  object: described(Type.Literal('search_result'), 'Kind of object: always `search_result`.'),
  type: described(OneOf(...search_types), 'Kind of the object that was found.'),
  id: described(Id, 'Id of the object that was found.'),
  key: described(
    Nullable(Text),
    'Key of the task, for a comment that of its task; null for other kinds, and if the credential may not read tasks.',
  ),
  title: described(
    Nullable(Text),
    'Title or name; for a comment the title of its task, null if the credential may not read tasks.',
  ),
  excerpt: described(
    Text,
    'Plain text in one line: the part of the description or comment around the first match, or its start.',
  ),
  highlights: described(
    Type.Array(Type.Array(Place, { minItems: 2, maxItems: 2 })),
    'Matches in `excerpt`, each as start and end in UTF-16 units.',
  ),
  workspace: described(Nullable(Id), 'Workspace of the object; null for a board.'),
  project: described(
    Nullable(Id),
    'Project of the task, for a comment that of its task; null if none, and if the credential may not read tasks.',
  ),
  updated: described(Seconds, 'When the object was last changed, in Unix seconds.'),
})

export type SearchResult = Static<typeof SearchResult>

/** A result is no object of its own: it has the id of the one that was found. */
export const searchResultNoun: AnyNoun = {
  object: 'search_result',
  prefix: 'none',
  table: 'search_documents',
  schema: SearchResult,
  readScope: 'api:read',
  workspaced: false,
  forgets: false,
  find: () => undefined,
  show: (result: SearchResult) => result,
}
