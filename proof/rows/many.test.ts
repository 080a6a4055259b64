import { prove } from '../prove.ts'
import { many } from './many.ts'

prove(many, ['one_left_out', 'correction_lost'])
