import { prove } from '../prove.ts'
import { io } from './io.ts'

prove(io, ['commit_believed'])
