import { prove } from '../prove.ts'
import { simulation } from './simulation.ts'

prove(simulation, ['kept_for_ever'])
