import { prove } from '../prove.ts'
import { egress } from './egress.ts'

prove(egress, ['mapped_is_public'])
