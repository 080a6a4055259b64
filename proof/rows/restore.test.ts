import { prove } from '../prove.ts'
import { restore } from './restore.ts'

prove(restore)
