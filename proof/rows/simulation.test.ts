import { prove } from '../prove.ts'
import { simulation } from './simulation.ts'

prove(simulation, ['rows_kept_too_long'])
