import { prove } from '../prove.ts'
import { secrets } from './secrets.ts'

prove(secrets, ['unsealed_replay'])
