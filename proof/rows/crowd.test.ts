import { prove } from '../prove.ts'
import { crowd } from './crowd.ts'

prove(crowd, ['slow_stream_blocks_others'])
