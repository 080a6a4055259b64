import { eventType } from '../../api/declare/event.ts'
import { customFieldNoun } from './custom_field.ts'

export const customFieldCreated = eventType('workflow.custom_field.created', customFieldNoun)
export const customFieldUpdated = eventType('workflow.custom_field.updated', customFieldNoun)
export const customFieldDeleted = eventType('workflow.custom_field.deleted', customFieldNoun)
