/** The run that a run repeats, the runs that repeat it, and the button that starts one. */
import type { AutomationGraph, AutomationRun } from '@atrium/sdk'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useDirectory, useObject } from '../../data/index.ts'
import { Button, dateTime, Fact, inWords } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { RerunDialog } from './rerun-dialog.tsx'
import { stepName } from './step-name.ts'

const repeatable: ReadonlySet<AutomationRun['status']> = new Set(['succeeded', 'failed', 'canceled'])

export function canRunAgain({ status }: AutomationRun): boolean {
  return repeatable.has(status)
}

/** Idle for runs that cannot have reruns. */
export function useReruns(run: AutomationRun) {
  const { id, workspace } = run
  return useObject('automation_run_reruns', id, (atrium) => atrium.automationRuns.reruns(id, { workspace }), {
    enabled: canRunAgain(run),
  })
}

export function RunAgain({ run }: { readonly run: AutomationRun }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon={RotateCw} onClick={() => setOpen(true)}>
        {t('Run again')}
      </Button>
      {isOpen && <RerunDialog run={run} onClose={() => setOpen(false)} />}
    </>
  )
}

/** A later server may name other parts. */
const correctedParts: Readonly<Record<string, string>> = {
  request: t('Request'),
  form: t('Answers'),
  mail: t('Mail'),
  task: t('Task'),
  step: t('Settings of the step'),
}

interface RerunFactsProps {
  readonly run: AutomationRun
  readonly graph: AutomationGraph | undefined
  readonly reruns: ReturnType<typeof useReruns>
}

export function RerunFacts({ run, graph, reruns }: RerunFactsProps) {
  const { rerun_of, rerun_from, correction, workspace } = run
  const { nameOf } = useDirectory()
  const again = reruns.data?.data ?? []
  const pageOf = (id: string) => `/automations/runs/${id}?workspace=${workspace}`
  return (
    <>
      {rerun_of !== null && (
        <Fact name={t('Repeats')}>
          <Link href={pageOf(rerun_of)}>
            {rerun_from === null
              ? t('an earlier run')
              : t('an earlier run from step “{step}”', { step: stepName(graph, rerun_from) })}
          </Link>
        </Fact>
      )}
      {correction !== null && (
        <Fact name={t('Corrected')}>
          {t('{part}: {fields}, by {name}', {
            part: correctedParts[correction.part] ?? correction.part,
            fields: correction.fields.join(', '),
            name: nameOf(correction.by.id),
          })}
        </Fact>
      )}
      {again.length > 0 && (
        <Fact name={t('Repeated')}>
          {again.map(({ id, created, status }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <Link href={pageOf(id)}>
                {t('{time} ({status})', { time: dateTime(created), status: inWords(status) })}
              </Link>
            </span>
          ))}
          {reruns.data?.has_more === true && ' …'}
        </Fact>
      )}
    </>
  )
}
