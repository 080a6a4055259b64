import { eventType } from '../../api/declare/event.ts'
import { teamMemberNoun } from './team_member.ts'

export const teamMemberCreated = eventType('platform.team_member.created', teamMemberNoun)
export const teamMemberDeleted = eventType('platform.team_member.deleted', teamMemberNoun)
