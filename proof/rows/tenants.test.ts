import { prove } from '../prove.ts'
import { tenants } from './tenants.ts'

prove(tenants, ['realm_ignored'])
