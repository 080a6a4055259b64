/** The images that a board needs: those of its elements, of deleted ones too, and of the states in its history. */
import { type Placeholder, query } from '../../../db/query.ts'
import type { Reader } from '../../../db/store.ts'
import type { BoardKey } from './log.ts'

const sceneTexts = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db.selectFrom('board_scenes').select('elements').where('realm', '=', p('realm')).where('board', '=', p('board')),
)

const operationTexts = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db.selectFrom('board_operations').select('elements').where('realm', '=', p('realm')).where('board', '=', p('board')),
)

const versions = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db.selectFrom('board_versions').select('sequence').where('realm', '=', p('realm')).where('board', '=', p('board')),
)

const versionText = query((db, p: Placeholder<{ realm: number; board: string; sequence: number }>) =>
  db
    .selectFrom('board_versions')
    .select('elements')
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('sequence', '=', p('sequence')),
)

/** In stored elements, which `JSON.stringify` has written. */
const file_id = /"fileId":("(?:[^"\\]|\\.)*")/g

/** The ids of the files. A version is read at a time, because each can have some megabytes. */
export async function shownFiles(reader: Reader, key: BoardKey): Promise<ReadonlySet<string>> {
  const shown = new Set<string>()
  const look = (rows: readonly { readonly elements: string }[]) => {
    for (const { elements } of rows)
      for (const [, id = '""'] of elements.matchAll(file_id)) shown.add(JSON.parse(id) as string)
  }
  look(await reader.all(sceneTexts, { ...key }))
  look(await reader.all(operationTexts, { ...key }))
  for (const { sequence } of await reader.all(versions, { ...key }))
    look(await reader.all(versionText, { ...key, sequence }))
  return shown
}
