import { prove } from '../prove.ts'
import { upgrade } from './upgrade.ts'

prove(upgrade, ['row_skipped', 'terms_not_truncated'])
