import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { portfolioNoun } from './portfolio.ts'

/** Lists portfolios, archived ones included, newest first. */
export const listPortfolios = listOperation({
  id: 'portfolios.list',
  method: 'GET',
  path: '/v1/portfolios',
  summary: 'List portfolios',
  scope: 'projects:read',
  credits: 5,
  paging: 'id',
  fields: true,
  query: { workspace: idParameter('Only portfolios of this workspace.', workspaceNoun) },
  lists: portfolioNoun,
  handle: (context) => listById(context, portfolioNoun, { where: { workspace: context.query.workspace } }),
})
