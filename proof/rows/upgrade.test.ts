import { prove } from '../prove.ts'
import { upgrade } from './upgrade.ts'

prove(upgrade, ['no_transaction'])
