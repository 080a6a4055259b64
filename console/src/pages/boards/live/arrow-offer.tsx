/** Offers to make the selected arrow between two cards a dependency of their tasks, or says why it cannot be one. */
import type { Dependency, Task } from '@atrium/sdk'
import { useAll, useWrite } from '../../../data/index.ts'
import { Button } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { useBoardTask } from '../task-card.tsx'
import type { ConnectedTasks } from './arrows.ts'

export function ArrowOffer({ from, to }: ConnectedTasks) {
  const { data: first } = useBoardTask(from)
  const { data: second } = useBoardTask(to)
  const { data: known } = useAll<Dependency>('dependency', { from }, (atrium) =>
    atrium.tasks.dependencies.list(from, { limit: 100 }),
  )
  if (first === undefined || second === undefined || known === undefined) return null
  const isBlocking = known.some((each) => each.to === to && each.kind === 'blocks')
  return (
    <div className="live-offer" role="status">
      <span className="cut">{t('{key} blocks {other}', { key: first.key, other: second.key })}</span>
      {isBlocking ? (
        <span className="subtle">{t('Dependency')}</span>
      ) : first.project === null || first.project !== second.project ? (
        <span className="subtle">{t('Only tasks of the same project can have dependencies.')}</span>
      ) : (
        <Create first={first} second={second} />
      )}
    </div>
  )
}

function Create({ first, second }: { readonly first: Task; readonly second: Task }) {
  const write = useWrite({
    write: (atrium, _: null) =>
      atrium.tasks.dependencies.create(first.id, { workspace: first.workspace, to: second.id, kind: 'blocks' }),
    invalidates: ['dependency'],
    done: () => t('Dependency added'),
    undo:
      ({ id, from }) =>
      (atrium) =>
        atrium.tasks.dependencies.delete(from, id),
  })
  return (
    <Button kind="primary" size="s" busy={write.busy} onClick={() => void write.run(null)}>
      {t('Add dependency')}
    </Button>
  )
}
