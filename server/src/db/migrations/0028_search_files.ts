import type { Migration } from './migration.ts'

/** Files are found by their names: the objects of every realm are walked again, while searches use what is indexed. */
export const searchFiles: Migration = {
  name: '0028_search_files',
  sql: "update search_positions set walked = '', generation = generation + 1;",
}
