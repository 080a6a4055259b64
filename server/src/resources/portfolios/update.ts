import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Moment, Nullable, Text, Title } from '../../api/declare/shapes.ts'
import { applyChange } from '../../api/write/change.ts'
import type { PortfolioRow } from '../../db/schema.ts'
import { millis } from '../../lib/clock.ts'
import { archiving } from '../projects/project.ts'
import { portfolioArchived, portfolioUnarchived, portfolioUpdated } from './events.ts'
import { Portfolio, portfolioNoun, showPortfolio } from './portfolio.ts'

/**
 * Changes a portfolio. A time in `archived_at` archives it at that time, null restores it. This does not change its projects,
 * and an archived portfolio can still be changed and used.
 */
export const updatePortfolio = writeOperation({
  id: 'portfolios.update',
  method: 'PATCH',
  path: '/v1/portfolios/{id}',
  summary: 'Update a portfolio',
  scope: 'projects:write',
  credits: 10,
  target: portfolioNoun,
  body: {
    name: Type.Optional(Title),
    description: Type.Optional(Text),
    archived_at: Type.Optional(Nullable(Moment)),
  },
  returns: Portfolio,
  emits: [portfolioUpdated, portfolioArchived, portfolioUnarchived],
  example: { params: { id: '{portfolio}' }, body: { name: 'Node and scheduling' } },
  handle({ target, body, tx, now, emit }) {
    const { name, archived_at } = body
    const description = body.description === '' ? null : body.description
    const archival = archiving(target, typeof archived_at === 'number' ? millis(archived_at) : archived_at)
    const changed = applyChange(tx, 'portfolios', target, { name, description, ...archival }, now)
    if (changed !== null) emit(changeEvent(target, changed), showPortfolio(changed), showPortfolio(target))
    return showPortfolio(changed ?? target)
  },
})

function changeEvent(before: PortfolioRow, after: PortfolioRow) {
  if (before.status === after.status) return portfolioUpdated
  return after.status === 'archived' ? portfolioArchived : portfolioUnarchived
}
