import { prove } from '../prove.ts'
import { simulation } from './simulation.ts'

prove(simulation, ['answer_before_commit', 'record_apart', 'kept_for_ever'])
