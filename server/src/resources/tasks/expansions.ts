/** The expandable fields of a task: assignee, project, column, project.portfolio (contract/06#expansion). */
import Type from 'typebox'
import type { AnyNoun } from '../../api/declare/noun.ts'
import { described, Id } from '../../api/declare/shapes.ts'
import { Expandable, type Expansions, expandParameter, readByIds } from '../../api/request/expand.ts'
import { isOneOf } from '../../db/dialect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { Column, columnNoun } from '../columns/column.ts'
import { Member, userNoun } from '../members/member.ts'
import { Portfolio, portfolioNoun } from '../portfolios/portfolio.ts'
import { Project, projectNoun } from '../projects/project.ts'
import { Task, taskNoun } from './task.ts'

const membersByUser = query((db, p: Placeholder<{ organization: string; ids: string }>, dialect) =>
  db
    .selectFrom('members')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where(isOneOf(dialect, 'user', p('ids'))),
)

export const taskExpansions: Expansions = {
  assignee: { noun: userNoun, read: membersByUser, key: 'user' },
  project: {
    noun: projectNoun,
    read: readByIds('projects'),
    inner: { portfolio: { noun: portfolioNoun, read: readByIds('portfolios') } },
  },
  column: { noun: columnNoun, read: readByIds('columns') },
}

export const expandTasks = expandParameter(taskExpansions)

/** The shape of a task with `expand`. */
export const ExpandedTask = Type.Object({
  ...Task.properties,
  assignee: described(
    Expandable(Id, Member, 'member'),
    'Person responsible: the user id (`usr_…`), or with `expand=assignee` the member (`mbr_…`), whose `user` is that id. Writes take the user id. Null if unassigned.',
  ),
  project: described(
    Expandable(
      Id,
      Type.Object({
        ...Project.properties,
        portfolio: described(
          Expandable(Id, Portfolio, 'portfolio'),
          'Portfolio of the project, as an id or expanded; null for none.',
        ),
      }),
      'project',
    ),
    'Project of the task, as an id or expanded; null for none.',
  ),
  column: described(Expandable(Id, Column, 'column'), 'Column of the task, as an id or expanded; null for none.'),
})

/** The noun of operations with `expand`. */
export const expandedTaskNoun: AnyNoun = { ...taskNoun, schema: ExpandedTask }
