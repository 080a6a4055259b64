import { prove } from '../prove.ts'
import { calls } from './calls.ts'

prove(calls, ['called_twice', 'dead_lease_kept'])
