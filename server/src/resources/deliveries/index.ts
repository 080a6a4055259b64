import type { Operation } from '../../api/declare/operation.ts'
import { listDeliveries } from './list.ts'

export const deliveries: readonly Operation[] = [listDeliveries]
