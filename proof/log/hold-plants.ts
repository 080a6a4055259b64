/** Where transactions are held open: see `hold.ts`. */
import type { Plant } from '../plant.ts'

const file = 'server/src/db/postgres-tx.ts'

export const hold_plants: readonly Plant[] = [
  {
    file,
    find: "import type pg from 'pg'",
    put: "import { hold } from '../../../proof/log/hold.ts'\nimport type pg from 'pg'",
  },
  {
    file,
    find: "done = await this.client.query('commit')",
    put: "await hold()\n      done = await this.client.query('commit')",
  },
]
