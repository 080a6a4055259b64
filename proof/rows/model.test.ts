import { prove } from '../prove.ts'
import { model } from './model.ts'

prove(model)
