import { prove } from '../prove.ts'
import { draw } from './draw.ts'

prove(draw, ['lower_version_wins'])
