/** SQL of the projects of a portfolio. */
import { type Placeholder, query } from '../../db/query.ts'
import type { ProjectRow } from '../../db/schema.ts'

/** A portfolio's live projects, oldest first. */
export const projectsOf = query<ProjectRow, { realm: number; portfolio: string }>((db, p) =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('portfolio', '=', p('portfolio'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)

/** Removes all projects from the portfolio. */
export const detachProjects = query((db, p: Placeholder<{ updated: number; realm: number; portfolio: string }>) =>
  db
    .updateTable('projects')
    .set((project) => ({ portfolio: null, updated: p('updated'), revision: project('revision', '+', 1) }))
    .where('realm', '=', p('realm'))
    .where('portfolio', '=', p('portfolio'))
    .where('deleted_at', 'is', null),
)
