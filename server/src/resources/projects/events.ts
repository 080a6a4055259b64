import { eventType } from '../../api/declare/event.ts'
import { projectNoun } from './project.ts'

export const projectCreated = eventType('workflow.project.created', projectNoun)
export const projectUpdated = eventType('workflow.project.updated', projectNoun)
export const projectArchived = eventType('workflow.project.archived', projectNoun)
export const projectUnarchived = eventType('workflow.project.unarchived', projectNoun)
export const projectDeleted = eventType('workflow.project.deleted', projectNoun)
