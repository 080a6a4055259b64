import type { Operation } from '../../api/operation.ts'
import { listAuditLogs } from './list.ts'

export const auditLogs: readonly Operation[] = [listAuditLogs]
