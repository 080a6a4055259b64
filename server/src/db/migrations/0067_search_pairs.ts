import type { Migration } from './migration.ts'

/**
 * SQLite's index of search has marks of words in a row (`search/entries.ts`), without which it does not find phrases. It is built
 * again while the server runs; until then searches say that it is not complete.
 */
export const searchPairs: Migration = {
  name: '0067_search_pairs',
  sql: {
    sqlite: "update search_positions set walked = '', generation = generation + 1, complete = 0;",
    postgres: '',
  },
}
