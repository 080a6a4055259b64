import { prove } from '../prove.ts'
import { power } from './power.ts'

prove(power, ['unsynced_key'])
