import { prove } from '../prove.ts'
import { hooks } from './hooks.ts'

prove(hooks, ['signature_ignored'])
