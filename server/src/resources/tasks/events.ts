import { eventType } from '../../api/declare/event.ts'
import { taskNoun } from './task.ts'

export const taskCreated = eventType('workflow.task.created', taskNoun)
export const taskUpdated = eventType('workflow.task.updated', taskNoun)
export const taskCompleted = eventType('workflow.task.completed', taskNoun)
export const taskReopened = eventType('workflow.task.reopened', taskNoun)
export const taskMoved = eventType('workflow.task.moved', taskNoun)
export const taskDeleted = eventType('workflow.task.deleted', taskNoun)
