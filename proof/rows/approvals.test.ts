import { prove } from '../prove.ts'
import { approvals } from './approvals.ts'

prove(approvals, ['decided_twice'])
