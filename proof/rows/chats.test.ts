import { prove } from '../prove.ts'
import { chats } from './chats.ts'

prove(chats, ['url_shown'])
