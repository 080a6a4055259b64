import { eventType } from '../../api/declare/event.ts'
import { memberNoun } from './member.ts'

export const memberCreated = eventType('platform.member.created', memberNoun)
export const memberUpdated = eventType('platform.member.updated', memberNoun)
