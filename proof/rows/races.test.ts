import { prove } from '../prove.ts'
import { races } from './races.ts'

prove(races, ['fingerprint_ignored'])
