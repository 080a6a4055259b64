import { eventType } from '../../api/declare/event.ts'
import { portfolioNoun } from './portfolio.ts'

export const portfolioCreated = eventType('workflow.portfolio.created', portfolioNoun)
export const portfolioUpdated = eventType('workflow.portfolio.updated', portfolioNoun)
export const portfolioArchived = eventType('workflow.portfolio.archived', portfolioNoun)
export const portfolioUnarchived = eventType('workflow.portfolio.unarchived', portfolioNoun)
export const portfolioDeleted = eventType('workflow.portfolio.deleted', portfolioNoun)
