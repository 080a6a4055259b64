import { prove } from '../prove.ts'
import { links } from './links.ts'

prove(links, ['viewer_draws', 'revoked_opens'])
