/** The rows of the proof, in the order of the page. */
import type { Row } from '../row.ts'
import { races } from './races.ts'

export const rows: readonly Row[] = [races]
