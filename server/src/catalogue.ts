/** The table of contents: every operation, in the order of the contract. What is derived is derived from here. */
import type { Operation } from './api/operation.ts'
import { api } from './resources/api/index.ts'
import { organizations } from './resources/organizations/index.ts'
import { workspaces } from './resources/workspaces/index.ts'

export const catalogue: readonly Operation[] = [...api, ...organizations, ...workspaces]

export const operationIds: ReadonlySet<string> = new Set(catalogue.map((operation) => operation.id))
