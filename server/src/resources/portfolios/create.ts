import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id, Text, Title } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import { newId } from '../../lib/ids.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { portfolioCreated } from './events.ts'
import { Portfolio, showPortfolio } from './portfolio.ts'

/** Creates an empty portfolio in a workspace. */
export const createPortfolio = writeOperation({
  id: 'portfolios.create',
  method: 'POST',
  path: '/v1/portfolios',
  summary: 'Create a portfolio',
  scope: 'projects:write',
  credits: 10,
  body: { workspace: Id, name: Title, description: Type.Optional(Text) },
  returns: Portfolio,
  emits: [portfolioCreated],
  example: { body: { workspace: '{workspace}', name: 'Node' } },
  async handle({ body, caller, tx, now, emit }) {
    const workspace = await findReference(workspaceNoun, { tx, caller }, body.workspace, 'workspace')
    const row = {
      realm: caller.realm,
      id: newId('pfl', now),
      created: now,
      updated: now,
      revision: 1,
      deleted_at: null,
      workspace: workspace.id,
      name: body.name,
      description: body.description || null,
      status: 'active',
      archived_at: null,
    }
    tx.insert('portfolios', row)
    const portfolio = showPortfolio(row)
    emit(portfolioCreated, portfolio)
    return portfolio
  },
})
