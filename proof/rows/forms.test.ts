import { prove } from '../prove.ts'
import { forms } from './forms.ts'

prove(forms, ['reload_starts_run'])
