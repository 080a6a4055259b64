import type { Operation } from '../../api/declare/operation.ts'
import { retrieveRequestLog } from './retrieve.ts'

export const requestLogs: readonly Operation[] = [retrieveRequestLog]
