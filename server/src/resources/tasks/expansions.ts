/** What `expand` shows inside a task: assignee, project, column, project.portfolio (decisions §6). */
import Type from 'typebox'
import { Expandable, type Expansions, expandParameter, readByIds } from '../../api/expand.ts'
import type { AnyNoun } from '../../api/noun.ts'
import { Id } from '../../api/shapes.ts'
import { isOneOf } from '../../db/dialect.ts'
import { query } from '../../db/query.ts'
import { Column, columnNoun } from '../columns/column.ts'
import { Member, userNoun } from '../members/member.ts'
import { Portfolio, portfolioNoun } from '../portfolios/portfolio.ts'
import { Project, projectNoun } from '../projects/project.ts'
import { Task, taskNoun } from './task.ts'

const membersByUser = query((db, p, dialect) =>
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

/** A task as it shows with `expand`. */
export const ExpandedTask = Type.Object({
  ...Task.properties,
  assignee: Expandable(Id, Member, 'member'),
  project: Expandable(
    Id,
    Type.Object({ ...Project.properties, portfolio: Expandable(Id, Portfolio, 'portfolio') }),
    'project',
  ),
  column: Expandable(Id, Column, 'column'),
})

/** The task as operations list it that take `expand`. */
export const expandedTaskNoun: AnyNoun = { ...taskNoun, schema: ExpandedTask }
