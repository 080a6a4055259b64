import { eventType } from '../../api/event.ts'
import { teamNoun } from './team.ts'

export const teamCreated = eventType('platform.team.created', teamNoun)
