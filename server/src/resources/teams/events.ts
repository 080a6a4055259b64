import { eventType } from '../../api/declare/event.ts'
import { teamNoun } from './team.ts'

export const teamCreated = eventType('platform.team.created', teamNoun)
