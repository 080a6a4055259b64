/** Lists of tasks for other resources. */
export { resolveNames } from '../list/parameters.ts'
export { readTasks } from '../list/read.ts'
