/** The rows of the proof, in the order of the page. */
import type { Row } from '../row.ts'
import { egress } from './egress.ts'
import { kill } from './kill.ts'
import { races } from './races.ts'
import { restore } from './restore.ts'
import { scopesRow } from './scopes.ts'
import { secrets } from './secrets.ts'
import { tenants } from './tenants.ts'
import { upgrade } from './upgrade.ts'

export const rows: readonly Row[] = [kill, races, restore, tenants, scopesRow, secrets, egress, upgrade]
