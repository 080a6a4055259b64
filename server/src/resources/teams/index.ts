import type { Operation } from '../../api/operation.ts'
import { listTeams } from './list.ts'

export const teams: readonly Operation[] = [listTeams]
