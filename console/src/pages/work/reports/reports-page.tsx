/** Reports about tasks: of all of them, of a project, or of a label. Every number leads to the tasks that it counts. */
import './reports.css'
import { useMemo } from 'react'
import { useUrlParam } from '../../../data/index.ts'
import { Input, Page, Segments, Select, useNow } from '../../../design/index.ts'
import { dayOf } from '../calendar/days.ts'
import { useProjects } from '../reads.ts'
import { FlowReports } from './flow-reports.tsx'
import { AgeReport, WorkloadReport } from './open-reports.tsx'
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
      title="Reports"
      description="Past days are counted from the event log, as they were. The log reaches 30 days back."
      tabs={
        <div className="report-scope" role="search" aria-label="Reports">
          <Select
            aria-label="Project"
            value={project ?? ''}
            choices={[{ value: '', label: 'All projects' }, ...choices]}
            onChange={(id) => setProject(id || null)}
          />
          <Input
            aria-label="Label"
            placeholder="Label"
            value={label}
            onChange={({ currentTarget }) => setLabel(currentTarget.value)}
          />
          <span className="grow" />
          <Segments label="Period" value={days} choices={periods} onChange={setPeriod} />
        </div>
      }
    >
      <FlowReports scope={scope} days={Number(days)} today={today} />
      <div className="report-pair">
        <AgeReport scope={scope} today={today} />
        <WorkloadReport scope={scope} />
      </div>
      {project !== null && <TimeReport project={project} />}
    </Page>
  )
}
