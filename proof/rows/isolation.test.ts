import { prove } from '../prove.ts'
import { isolation } from './isolation.ts'

prove(isolation, ['target_read_outside'])
