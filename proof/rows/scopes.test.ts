import { prove } from '../prove.ts'
import { scopesRow } from './scopes.ts'

prove(scopesRow, ['plan_checked_late'])
