import { eventType } from '../../api/declare/event.ts'
import { organizationNoun } from './organization.ts'

export const organizationUpdated = eventType('platform.organization.updated', organizationNoun)
