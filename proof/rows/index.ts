/** The rows of the proof, in the order of the page. */
import type { Row } from '../row.ts'
import { kill } from './kill.ts'
import { races } from './races.ts'

export const rows: readonly Row[] = [kill, races]
