/** Whether the person watches a task or a project, who does, and the way to change it. */
import type { Watch } from '@atrium/sdk'
import { Bell, BellOff, BellRing, type LucideIcon } from 'lucide-react'
import { keys, useDirectory, useMode, useObject, useWrite } from '../../data/index.ts'
import { queryClient } from '../../data/query-client.ts'
import { IconButton, Menu } from '../../design/index.ts'
import { t } from '../../language/index.ts'

type Level = 'watching' | 'none' | 'muted'

const icons: Readonly<Record<Level, LucideIcon>> = { watching: BellRing, none: Bell, muted: BellOff }
const labels: Readonly<Record<'task' | 'project', Readonly<Record<Level, string>>>> = {
  task: {
    watching: t('You watch this task'),
    none: t('You do not watch this task'),
    muted: t('You have muted this task'),
  },
  project: {
    watching: t('You watch this project'),
    none: t('You do not watch this project'),
    muted: t('You have muted this project'),
  },
}
/** Names in the menu. */
const named_max = 8

interface WatchControlProps {
  readonly subject: { readonly object: 'task' | 'project'; readonly id: string }
  /** Beside other buttons of a page. */
  readonly isLarge?: boolean
}

/** Who watches a project watches all of its tasks. */
export function WatchControl({ subject: { object, id }, isLarge = false }: WatchControlProps) {
  const mode = useMode()
  const { nameOf } = useDirectory()
  const watch = useObject<Watch>('watch', id, ({ tasks, projects }, given, signal) =>
    (object === 'task' ? tasks : projects).watch.retrieve(given, undefined, { signal }),
  )
  const said = labels[object]
  const set = useWrite({
    write: ({ tasks, projects }, level: Level) => (object === 'task' ? tasks : projects).watch.set(id, { level }),
    // Its tasks follow what is said of the project.
    invalidates: object === 'project' ? ['watch'] : [],
    done: (_, level) => said[level],
    toastErrors: true,
  })
  const change = async (level: Level) => {
    const next = await set.run(level)
    if (next !== undefined) queryClient.setQueryData(keys.one(mode, 'watch', id), next)
  }
  const level = (watch.data?.level ?? 'none') as Level
  const watchers = watch.data?.watchers ?? []
  const names = watchers.slice(0, named_max).map((user) => nameOf(user))
  const others = (watch.data?.watcher_count ?? 0) - names.length
  return (
    <Menu
      label={t('Watching')}
      trigger={
        <IconButton
          icon={icons[level]}
          label={said[level]}
          size={isLarge ? 'm' : 's'}
          kind={isLarge ? 'plain' : 'quiet'}
        />
      }
      items={[
        { heading: names.length === 0 ? t('No watchers') : t('Watched by') },
        ...names.map((name) => ({ label: name, disabled: true })),
        ...(others > 0 ? [{ label: t('and {others} more', { others }), disabled: true }] : []),
        'line',
        { label: t('Watch'), icon: BellRing, checked: level === 'watching', onSelect: () => void change('watching') },
        { label: t('Do not watch'), icon: Bell, checked: level === 'none', onSelect: () => void change('none') },
        { label: t('Mute'), icon: BellOff, checked: level === 'muted', onSelect: () => void change('muted') },
      ]}
    />
  )
}
