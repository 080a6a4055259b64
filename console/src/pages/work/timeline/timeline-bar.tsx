/** The tools of the timeline: today, the period before and after, zoom, and whether followers move along. All in the address. */
import { ChevronLeft, ChevronRight, Link2 } from 'lucide-react'
import { useMemo } from 'react'
import { useShortcut } from '../../../app/shortcuts.ts'
import { useUrlChange, useUrlParam } from '../../../data/index.ts'
import { Button, IconButton, Segments, useNow } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { addDays, type Day, dayOf, isDay } from '../calendar/days.ts'
import { readZoom, scaleOf, type Zoom, zooms } from './scale.ts'

/** Days of a step back or forth. */
const step_days: Readonly<Record<Zoom, number>> = { week: 7, month: 28, quarter: 91 }

/** The place on the axis: the day at which it begins, and the zoom. */
export function useAxis() {
  const today = dayOf(useNow())
  const [zoomParam] = useUrlParam('zoom', 'month')
  const [atParam] = useUrlParam('at')
  const [chain] = useUrlParam('chain', '')
  const change = useUrlChange()
  const zoom = readZoom(zoomParam)
  const at = atParam !== null && isDay(atParam) ? atParam : today
  return {
    ...{ today, zoom, at, movesChain: chain === 'on' },
    scale: useMemo(() => scaleOf(zoom, at), [zoom, at]),
    setAt: (day: Day) => change({ at: day === today ? null : day }),
    setZoom: (next: string) => change({ zoom: next === 'month' ? null : next }),
    setChain: (moves: boolean) => change({ chain: moves ? 'on' : null }),
  }
}

export function TimelineBar() {
  const { today, zoom, at, movesChain, setAt, setZoom, setChain } = useAxis()
  const step = (count: number) => setAt(addDays(at, count * step_days[zoom]))
  useShortcut('t', t('Today'), () => setAt(today))
  useShortcut('[', t('Earlier'), () => step(-1))
  useShortcut(']', t('Later'), () => step(1))
  return (
    <div className="gantt-tools">
      <Button size="s" onClick={() => setAt(today)}>
        {t('Today')}
      </Button>
      <IconButton icon={ChevronLeft} label={t('Earlier')} keys="[" size="s" onClick={() => step(-1)} />
      <IconButton icon={ChevronRight} label={t('Later')} keys="]" size="s" onClick={() => step(1)} />
      <span className="grow" />
      <Button
        size="s"
        kind="quiet"
        icon={Link2}
        aria-pressed={movesChain}
        title={t('Moving a bar moves the tasks that wait for it by as many days')}
        onClick={() => setChain(!movesChain)}
      >
        {t('Move chains')}
      </Button>
      <Segments label={t('Zoom')} value={zoom} choices={zooms} onChange={setZoom} />
    </div>
  )
}
