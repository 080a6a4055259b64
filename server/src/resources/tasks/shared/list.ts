/** Lists of tasks for other resources. */
export { requireStatus, resolveNames } from '../list/parameters.ts'
export { readTasks } from '../list/read.ts'
