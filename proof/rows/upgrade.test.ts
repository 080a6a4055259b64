import { prove } from '../prove.ts'
import { upgrade } from './upgrade.ts'

prove(upgrade, ['loses_rows', 'terms_uncut'])
