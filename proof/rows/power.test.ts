import { prove } from '../prove.ts'
import { power } from './power.ts'

prove(power, ['key_in_memory'])
