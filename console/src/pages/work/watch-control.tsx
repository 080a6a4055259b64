/** Whether the person watches a task, how many do, and the way to change it. */
import type { Task, Watch } from '@atrium/sdk'
import { Bell, BellOff, BellRing, type LucideIcon } from 'lucide-react'
import { keys, useDirectory, useMode, useObject, useWrite } from '../../data/index.ts'
import { queryClient } from '../../data/query-client.ts'
import { IconButton, Menu } from '../../design/index.ts'
import { t } from '../../language/index.ts'

type Level = 'watching' | 'none' | 'muted'

const icons: Readonly<Record<Level, LucideIcon>> = { watching: BellRing, none: Bell, muted: BellOff }
const labels: Readonly<Record<Level, string>> = {
  watching: t('You watch this task'),
  none: t('You do not watch this task'),
  muted: t('You have muted this task'),
}
/** Names in the menu. */
const named_max = 8

export function WatchControl({ task }: { readonly task: Task }) {
  const mode = useMode()
  const { nameOf } = useDirectory()
  const watch = useObject<Watch>('watch', task.id, (atrium, id, signal) =>
    atrium.tasks.watch.retrieve(id, undefined, { signal }),
  )
  const set = useWrite({
    write: (atrium, level: Level) => atrium.tasks.watch.set(task.id, { level }),
    done: (_, level) => labels[level],
    toastErrors: true,
  })
  const change = async (level: Level) => {
    const next = await set.run(level)
    if (next !== undefined) queryClient.setQueryData(keys.one(mode, 'watch', task.id), next)
  }
  const level = (watch.data?.level ?? 'none') as Level
  const watchers = watch.data?.watchers ?? []
  const names = watchers.slice(0, named_max).map((user) => nameOf(user))
  const others = (watch.data?.watcher_count ?? 0) - names.length
  return (
    <Menu
      label={t('Watching')}
      trigger={<IconButton icon={icons[level]} label={labels[level]} size="s" />}
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
