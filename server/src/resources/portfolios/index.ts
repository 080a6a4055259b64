import type { Operation } from '../../api/declare/operation.ts'
import { createPortfolio } from './create.ts'
import { deletePortfolio } from './delete.ts'
import { listPortfolios } from './list.ts'
import { retrievePortfolio } from './retrieve.ts'
import { updatePortfolio } from './update.ts'

export const portfolios: readonly Operation[] = [
  listPortfolios,
  createPortfolio,
  retrievePortfolio,
  updatePortfolio,
  deletePortfolio,
]
