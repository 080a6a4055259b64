/** How a person stands to a task or a project, and who watches it (contract/14#watch). */
import Type, { type Static } from 'typebox'
import { described, Id, Nullable, OneOf } from '../../api/declare/shapes.ts'
import { inbox_limits } from '../../notifications/limits.ts'
import { watch_levels, watch_reasons } from '../../notifications/watching.ts'

export const Watch = Type.Object({
  object: described(Type.Literal('watch'), 'Kind of object: always `watch`.'),
  subject: described(
    Type.Object({
      object: described(OneOf('task', 'project'), 'Kind of the subject.'),
      id: described(Id, 'Id of the subject.'),
    }),
    'What is watched.',
  ),
  user: described(Id, 'User id of the person for whom the credential acts.'),
  level: described(
    OneOf(...watch_levels),
    '`watching`: hears of comments and changes of the status; `none`: hears only of assignments and mentions; `muted`: hears nothing.',
  ),
  reason: described(
    Nullable(OneOf(...watch_reasons)),
    'Why: `hand` if the person said so, else the part that makes the person a watcher; null if the person does not watch.',
  ),
  watchers: described(
    Type.Array(Id, { maxItems: inbox_limits.inbox_watchers_listed_max }),
    'User ids of those who watch, at most 100, in the order of their ids.',
  ),
  watcher_count: described(Type.Integer({ minimum: 0 }), 'Number of people who watch.'),
})

export type Watch = Static<typeof Watch>

export const Level = described(
  OneOf(...watch_levels),
  '`watching`, `none` to stop watching, or `muted` to hear nothing at all.',
)
