import { readOperation } from '../../api/declare/operation.ts'
import { Portfolio, portfolioNoun, showPortfolio } from './portfolio.ts'

/** Shows a portfolio, archived or not. */
export const retrievePortfolio = readOperation({
  id: 'portfolios.retrieve',
  method: 'GET',
  path: '/v1/portfolios/{id}',
  summary: 'Retrieve a portfolio',
  scope: 'projects:read',
  credits: 1,
  target: portfolioNoun,
  returns: Portfolio,
  example: { params: { id: '{portfolio}' } },
  handle: ({ target }) => showPortfolio(target),
})
