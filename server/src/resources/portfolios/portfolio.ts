/** The portfolio: a group of projects (contract/14#portfolio). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import { described, head, Id, Nullable, OneOf, Revision, Seconds, Text, Title } from '../../api/declare/shapes.ts'
import type { PortfolioRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const Portfolio = Type.Object({
  ...head('portfolio'),
  workspace: described(Id, 'Workspace of the portfolio.'),
  name: described(Title, 'Name of the portfolio.'),
  description: described(Nullable(Text), 'What the portfolio is for; null if unset.'),
  status: described(OneOf('active', 'archived'), 'Whether the portfolio is in use or archived.'),
  archived_at: described(
    Nullable(Seconds),
    'When the portfolio was archived, in Unix seconds; null if active. Send null to restore it.',
  ),
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
