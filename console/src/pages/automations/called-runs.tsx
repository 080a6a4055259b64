/** The run with the step that called a run, and the runs that its own steps have called. */
import type { AutomationRun } from '@atrium/sdk'
import { Link } from 'wouter'
import { useDirectory, useObject } from '../../data/index.ts'
import { Fact, inWords } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function useCalledRuns({ id, workspace }: AutomationRun) {
  return useObject('automation_called_runs', id, (atrium) => atrium.automationRuns.called(id, { workspace }))
}

interface CallFactsProps {
  readonly run: AutomationRun
  readonly called: ReturnType<typeof useCalledRuns>
}

export function CallFacts({ run: { called_by, called_by_node, workspace }, called }: CallFactsProps) {
  const { nameOf } = useDirectory()
  const runs = called.data?.data ?? []
  const pageOf = (id: string) => `/automations/runs/${id}?workspace=${workspace}`
  return (
    <>
      {called_by !== null && (
        <Fact name={t('Called by')}>
          <Link href={`${pageOf(called_by)}&step=${called_by_node}`}>
            {t('another run, step “{step}”', { step: inWords(called_by_node ?? '') })}
          </Link>
        </Fact>
      )}
      {runs.length > 0 && (
        <Fact name={t('Called flows')}>
          {runs.map(({ id, automation_flow, status }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <Link href={pageOf(id)}>
                {t('{name} ({status})', { name: nameOf(automation_flow), status: inWords(status) })}
              </Link>
            </span>
          ))}
          {called.data?.has_more === true && ' …'}
        </Fact>
      )}
    </>
  )
}
