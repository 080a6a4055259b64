/** The portfolio: projects that belong together (decisions §14). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { head, Id, Nullable, OneOf, Revision, Seconds, Text, Title } from '../../api/shapes.ts'
import type { PortfolioRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const Portfolio = Type.Object({
  ...head('portfolio'),
  workspace: Id,
  name: Title,
  description: Nullable(Text),
  status: OneOf('active', 'archived'),
  archived_at: Nullable(Seconds),
  revision: Revision,
})

export type Portfolio = Static<typeof Portfolio>

export function showPortfolio(row: PortfolioRow): Portfolio {
  return {
    id: row.id,
    object: 'portfolio',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    name: row.name,
    description: row.description,
    status: row.status as Portfolio['status'],
    archived_at: row.archived_at === null ? null : seconds(row.archived_at),
    revision: row.revision,
  }
}

export const portfolioNoun = noun({
  object: 'portfolio',
  prefix: 'pfl',
  table: 'portfolios',
  schema: Portfolio,
  readScope: 'projects:read',
  show: showPortfolio,
})
