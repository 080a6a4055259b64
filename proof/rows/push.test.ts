import { prove } from '../prove.ts'
import { push } from './push.ts'

prove(push, ['gone_kept', 'guest_told_elsewhere'])
