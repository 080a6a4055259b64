import { prove } from '../prove.ts'
import { isolation } from './isolation.ts'

prove(isolation)
