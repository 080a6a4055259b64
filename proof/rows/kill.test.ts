import { prove } from '../prove.ts'
import { kill } from './kill.ts'

prove(kill, ['answer_before_commit'])
