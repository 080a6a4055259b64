import { prove } from '../prove.ts'
import { filesRow } from './files.ts'

prove(filesRow, [])
