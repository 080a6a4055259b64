import { prove } from '../prove.ts'
import { hooks } from './hooks.ts'

prove(hooks, ['replays_start_runs', 'signature_ignored'])
