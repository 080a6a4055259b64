import type { Operation } from '../../api/declare/operation.ts'
import { listAuditLogs } from './list.ts'

export const auditLogs: readonly Operation[] = [listAuditLogs]
