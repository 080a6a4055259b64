import { eventType } from '../../api/event.ts'
import { organizationNoun } from './organization.ts'

export const organizationUpdated = eventType('platform.organization.updated', organizationNoun)
