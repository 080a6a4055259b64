import { prove } from '../prove.ts'
import { large } from './large.ts'

prove(large, ['whole_in_memory'])
