/** Reports about tasks: of all of them, of a project, or of a label. Every number leads to the tasks that it counts. */
import './reports.css'
import { useMemo } from 'react'
import { ErrorState } from '../../../app/error-state.tsx'
import { useProjects } from '../../../app/tasks/reads.ts'
import { useUrlParam } from '../../../data/index.ts'
import { Input, Page, Segments, Select, Skeleton, useNow } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { type Day, dayOf } from '../calendar/days.ts'
import { FlowReports, useFlow } from './flow-reports.tsx'
import { AgeReport, useAges, useWorkload, WorkloadReport } from './open-reports.tsx'
import { periods, type ReportScope } from './report-data.ts'
import { TimeReport } from './time-report.tsx'

export function ReportsPage() {
  const [project, setProject] = useUrlParam('project')
  const [label, setLabel] = useUrlParam('label', '', { typed: true })
  const [period, setPeriod] = useUrlParam('period', '30')
  const days = periods.find(({ value }) => value === period)?.value ?? '30'
  const today = dayOf(useNow())
  const scope = useMemo((): ReportScope => ({ project, label: label === '' ? null : label }), [project, label])
  const { data: projects = [] } = useProjects()
  const choices = projects.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Page
      title={t('Reports')}
      description={t('Past days are counted from the event log, as they were. The log reaches 30 days back.')}
      tabs={
        <div className="report-scope" role="search" aria-label={t('Reports')}>
          <Select
            aria-label={t('Project')}
            value={project ?? ''}
            choices={[{ value: '', label: t('All projects') }, ...choices]}
            onChange={(id) => setProject(id || null)}
          />
          <Input
            aria-label={t('Label')}
            placeholder={t('Label')}
            value={label}
            onChange={({ currentTarget }) => setLabel(currentTarget.value)}
          />
          <span className="grow" />
          <Segments label={t('Period')} value={days} choices={periods} onChange={setPeriod} />
        </div>
      }
    >
      <Reports scope={scope} days={Number(days)} today={today} />
    </Page>
  )
}

interface ReportsProps {
  readonly scope: ReportScope
  readonly days: number
  readonly today: Day
}

/** All at once, because no report knows the height of the one above it. */
function Reports({ scope, days, today }: ReportsProps) {
  const flow = useFlow(scope, days, today)
  const ages = useAges(scope, today)
  const load = useWorkload(scope)
  if (flow.data === undefined || ages.data === undefined || load.data === undefined) {
    const error = flow.error ?? ages.error ?? load.error
    if (error) return <ErrorState error={error} onRetry={() => void flow.refetch()} />
    return <Skeleton height="40rem" />
  }
  return (
    <>
      <FlowReports flow={flow.data} scope={scope} />
      <div className="report-pair">
        <AgeReport ages={ages.data} />
        <WorkloadReport load={load.data} />
      </div>
      {scope.project !== null && <TimeReport project={scope.project} />}
    </>
  )
}
