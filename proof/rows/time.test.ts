import { prove } from '../prove.ts'
import { time } from './time.ts'

prove(time, ['rounded_windows'])
