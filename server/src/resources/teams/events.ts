import { eventType } from '../../api/declare/event.ts'
import { teamNoun } from './team.ts'

export const teamCreated = eventType('platform.team.created', teamNoun)
export const teamUpdated = eventType('platform.team.updated', teamNoun)
export const teamDeleted = eventType('platform.team.deleted', teamNoun)
