import { eventType } from '../../api/declare/event.ts'
import { exportJobNoun } from './job.ts'

export const exportJobCreated = eventType('workflow.export_job.created', exportJobNoun)
export const exportJobCompleted = eventType('workflow.export_job.completed', exportJobNoun)
export const exportJobFailed = eventType('workflow.export_job.failed', exportJobNoun)
