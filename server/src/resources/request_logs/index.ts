import type { Operation } from '../../api/declare/operation.ts'
import { listRequestLogs } from './list.ts'
import { retrieveRequestLog } from './retrieve.ts'

export const requestLogs: readonly Operation[] = [listRequestLogs, retrieveRequestLog]
