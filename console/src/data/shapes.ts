/** What `/app/api` takes and answers, as the server declares it. */
export type * from '../../../server/src/console/shapes.ts'
