import { prove } from '../prove.ts'
import { io } from './io.ts'

prove(io, ['failed_commit_accepted'])
