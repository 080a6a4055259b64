/** Plants `hold.ts` into PostgreSQL transactions. */
import type { Plant } from '../plant.ts'
import { replace } from '../planted-fault.ts'

const file = 'server/src/db/postgres/tx.ts'
const commit = "done = await this.client.query('commit')"
const pg_import = "import type pg from 'pg'"

export const hold_plants: readonly Plant[] = [
  replace(file, pg_import, `import { hold } from '../../../../proof/log/hold.ts'\n${pg_import}`),
  replace(file, commit, `await hold()\n      ${commit}`),
]
