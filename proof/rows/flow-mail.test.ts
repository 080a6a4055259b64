import { prove } from '../prove.ts'
import { flowMail } from './flow-mail.ts'

prove(flowMail, ['arrives_twice'])
