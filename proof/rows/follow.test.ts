import { prove } from '../prove.ts'
import { follow } from './follow.ts'

prove(follow, ['not_held'])
