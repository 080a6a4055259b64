import { prove } from '../prove.ts'
import { mailRow } from './mail.ts'

prove(mailRow, [])
