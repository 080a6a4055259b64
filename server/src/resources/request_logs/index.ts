import type { Operation } from '../../api/operation.ts'
import { retrieveRequestLog } from './get.ts'

export const requestLogs: readonly Operation[] = [retrieveRequestLog]
