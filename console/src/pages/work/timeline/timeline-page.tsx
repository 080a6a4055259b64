/** Tasks as bars from their start to their due date. Query, groups and the open task are those of the list. */

import { t } from '../../../language/index.ts'
import { TasksLayout } from '../tasks-page.tsx'
import { TimelineBar } from './timeline-bar.tsx'
import { TimelineRows } from './timeline-rows.tsx'

export function TimelinePage() {
  return <TasksLayout layout="timeline" title={t('Timeline')} view={TimelineRows} tools={<TimelineBar />} />
}
