import { prove } from '../prove.ts'
import { kill } from './kill.ts'

// The other fault of a commit is noticed by the simulation, in a tenth of the time.
prove(kill, ['answer_before_commit'])
