/** The types of `/app/api`, from the server. */
export type * from '../../../server/src/console/shapes.ts'
