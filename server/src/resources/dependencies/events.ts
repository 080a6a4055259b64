import { eventType } from '../../api/declare/event.ts'
import { dependencyNoun } from './dependency.ts'

export const dependencyCreated = eventType('workflow.dependency.created', dependencyNoun)
export const dependencyDeleted = eventType('workflow.dependency.deleted', dependencyNoun)
