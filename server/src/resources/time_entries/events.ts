import { eventType } from '../../api/declare/event.ts'
import { timeEntryNoun } from './time_entry.ts'

export const timeEntryCreated = eventType('workflow.time_entry.created', timeEntryNoun)
export const timeEntryStarted = eventType('workflow.time_entry.started', timeEntryNoun)
export const timeEntryStopped = eventType('workflow.time_entry.stopped', timeEntryNoun)
export const timeEntryUpdated = eventType('workflow.time_entry.updated', timeEntryNoun)
export const timeEntryDeleted = eventType('workflow.time_entry.deleted', timeEntryNoun)
