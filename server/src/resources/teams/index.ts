import type { Operation } from '../../api/declare/operation.ts'
import { listTeams } from './list.ts'

export const teams: readonly Operation[] = [listTeams]
