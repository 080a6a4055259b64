import { eventType } from '../../api/declare/event.ts'
import { taskTemplateNoun } from './task_template.ts'

export const taskTemplateCreated = eventType('workflow.task_template.created', taskTemplateNoun)
export const taskTemplateUpdated = eventType('workflow.task_template.updated', taskTemplateNoun)
export const taskTemplateDeleted = eventType('workflow.task_template.deleted', taskTemplateNoun)
