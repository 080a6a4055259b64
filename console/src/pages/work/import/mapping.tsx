/** What becomes of a file: where its parts go, a preview of the result, and the start. */
import { useEffect, useMemo, useState } from 'react'
import { ErrorState } from '../../../app/error-state.tsx'
import { useColumns, useProjects, useWorkspaces } from '../../../app/tasks/reads.ts'
import { UserCanceled, useHasRole, useMode, useSession } from '../../../data/index.ts'
import {
  Button,
  Card,
  Checkbox,
  Combobox,
  Field,
  Notice,
  Section,
  Select,
  SkeletonLines,
} from '../../../design/index.ts'
import { t, textLanguage } from '../../../language/index.ts'
import type { Choices, MappingPartProps } from './choices.ts'
import { startJob } from './job.ts'
import { ColumnChoices } from './mapping-columns.tsx'
import { Target } from './mapping-target.tsx'
import { Fields, People, Priorities, Statuses } from './mapping-words.tsx'
import { columnDefaults, defaultChoices, wordsOf } from './names.ts'
import { PreviewView } from './preview-view.tsx'
import type { Encoding, ReadFile } from './read-file.ts'
import { usePreview } from './use-preview.ts'

interface MappingProps {
  readonly owner: string
  readonly file: File
  readonly encoding: Encoding | null
  readonly read: ReadFile
  readonly onStarted: () => void
}

export function Mapping(props: MappingProps) {
  const mayKeepOrigins = useHasRole('admin')
  const workspaces = useWorkspaces()
  const projects = useProjects()
  const error = workspaces.error ?? projects.error
  if (error) return <ErrorState error={error} onRetry={() => void workspaces.refetch()} />
  if (workspaces.data === undefined || projects.data === undefined) return <SkeletonLines />
  const [first] = workspaces.data
  if (first === undefined) {
    return (
      <Notice title={t('No workspace yet')}>{t('Create a workspace under Work; tasks are imported into it.')}</Notice>
    )
  }
  return <MappingForm {...props} start={defaultChoices(props.read, first.id, projects.data, mayKeepOrigins)} />
}

function MappingForm({ owner, file, encoding, read, onStarted, start }: MappingProps & { readonly start: Choices }) {
  const [choices, setChoices] = useState(start)
  const change = (changed: Partial<Choices>) => setChoices((now) => ({ ...now, ...changed }))
  const { kind, map, archived } = choices
  const words = useMemo(() => wordsOf(read, { kind, map, archived }), [read, kind, map, archived])
  const { columns: existing } = useColumns(choices.target.kind === 'existing' ? choices.target.id : null)
  useEffect(() => {
    if (existing === undefined) return
    const names = existing.map(({ name }) => name)
    setChoices((now) => ({ ...now, columns: { ...columnDefaults(words, names), ...now.columns } }))
  }, [existing, words])
  const preview = usePreview(read, choices)
  const part = { read, choices, change }
  const ready = preview.kind === 'ready' ? preview.preview : null
  return (
    <>
      <Target {...part} owner={owner} />
      {choices.kind === 'csv' && <ColumnChoices {...part} />}
      <Statuses {...part} words={words} existing={existing?.map(({ name }) => name) ?? []} />
      <Priorities {...part} words={words.priorities} />
      {ready !== null && <People {...part} plan={ready.plan} people={ready.people} />}
      {ready !== null && choices.kind !== 'csv' && <Fields {...part} plan={ready.plan} />}
      <Details {...part} />
      <PreviewView state={preview} {...{ read, choices }} />
      <Start {...{ owner, file, encoding, read, choices, onStarted }} tasks={ready?.plan.tasks ?? 0} />
    </>
  )
}

const date_orders = [
  { value: '', label: t('Ask, if a date could be two days') },
  { value: 'dmy', label: t('Day, month, year (31/12/2026)') },
  { value: 'mdy', label: t('Month, day, year (12/31/2026)') },
] as const

/** How texts are read. */
function Details({ read, choices, change }: MappingPartProps) {
  const zones = useMemo(
    () => [...new Set([choices.zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])],
    [choices.zone],
  )
  const mayKeepOrigins = useHasRole('admin')
  const hasDates = read.table !== null && choices.kind !== 'linear'
  return (
    <Section title={t('Details')}>
      <Card>
        <div className="stack">
          {hasDates && (
            <div className="grid" style={{ '--least': '16rem' }}>
              <Field label={t('Order of dates such as 3/4/2026')}>
                <Select
                  value={choices.dateOrder ?? ''}
                  choices={date_orders}
                  onChange={(order) => change({ dateOrder: order === '' ? null : order })}
                />
              </Field>
              <Field label={t('Time zone of dates without an offset')}>
                <Combobox
                  label={t('Time zone of dates without an offset')}
                  value={[choices.zone]}
                  options={zones.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
                  onChange={([zone = choices.zone]) => change({ zone })}
                />
              </Field>
            </div>
          )}
          {choices.kind === 'trello' && (
            <Checkbox
              label={t('Import archived cards')}
              hint={t(
                'They become canceled tasks with the label “archived”; those in a list of done work become done.',
              )}
              checked={choices.archived}
              onChange={(archived) => change({ archived })}
            />
          )}
          <Checkbox
            label={t('Keep times of creation and authors')}
            hint={
              mayKeepOrigins
                ? t(
                    'As far as the file has them and its people are members. You may be asked to confirm that it is you.',
                  )
                : t(
                    'Only admins can do this. Otherwise you are the author, and comments begin with their author and time.',
                  )
            }
            disabled={!mayKeepOrigins}
            checked={choices.origins}
            onChange={(origins) => change({ origins })}
          />
          <Checkbox
            label={t('Cut texts that are too long')}
            hint={t('Otherwise their rows are left out. The report names each of them.')}
            checked={choices.cut}
            onChange={(cut) => change({ cut })}
          />
        </div>
      </Card>
    </Section>
  )
}

interface StartProps extends MappingProps {
  readonly choices: Choices
  readonly tasks: number
}

function Start({ owner, file, encoding, read, choices, onStarted, tasks }: StartProps) {
  const mode = useMode()
  const { organization } = useSession()
  const [fault, setFault] = useState<string | null>(null)
  const isNamed = choices.target.kind !== 'new' || choices.target.name.trim() !== ''
  const start = () => {
    setFault(null)
    const starting = { owner, organization: organization.id, mode, file, encoding, read, choices }
    startJob(starting).then(onStarted, (error: unknown) => {
      if (!(error instanceof UserCanceled)) setFault(error instanceof Error ? error.message : String(error))
    })
  }
  const count = tasks.toLocaleString(textLanguage())
  return (
    <div className="import-start">
      {fault !== null && <Notice tone="bad">{fault}</Notice>}
      {!isNamed && <Notice tone="warn">{t('Give the new project a name.')}</Notice>}
      <Button kind="primary" disabled={tasks === 0 || !isNamed} onClick={start}>
        {t('{tasks, plural, one {Import 1 task} other {Import {count} tasks}}', { count, tasks })}
      </Button>
    </div>
  )
}
