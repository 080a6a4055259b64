/** Tasks as bars from their start to their due date. Query, groups and the open task are those of the list. */
import { TasksLayout } from '../tasks-page.tsx'
import { TimelineBar } from './timeline-bar.tsx'
import { TimelineRows } from './timeline-rows.tsx'

export function TimelinePage() {
  return <TasksLayout layout="timeline" title="Timeline" view={TimelineRows} tools={<TimelineBar />} />
}
