import { prove } from '../prove.ts'
import { crowd } from './crowd.ts'

prove(crowd, ['one_for_all'])
