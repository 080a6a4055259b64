import { prove } from '../prove.ts'
import { log } from './log.ts'

prove(log, ['lease_ignored'])
