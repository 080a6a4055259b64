import type { Operation } from '../../api/operation.ts'
import { createPortfolio } from './create.ts'
import { deletePortfolio } from './delete.ts'
import { retrievePortfolio } from './get.ts'
import { listPortfolios } from './list.ts'
import { updatePortfolio } from './update.ts'

export const portfolios: readonly Operation[] = [
  listPortfolios,
  createPortfolio,
  retrievePortfolio,
  updatePortfolio,
  deletePortfolio,
]
