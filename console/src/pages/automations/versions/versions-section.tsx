/** The activated versions of a flow: compared with the present graph in its picture and in words, and the way back to one. */
import './versions.css'
import type { AutomationFlow, AutomationVersions } from '@atrium/sdk'
import { History } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { ConfirmButton } from '../../../app/confirm-button.tsx'
import { ErrorState } from '../../../app/error-state.tsx'
import { useDirectory, useObject, useWrite } from '../../../data/index.ts'
import { Badge, dateTime, Field, Section, Select } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { FlowPicture } from '../editor/flow-picture.tsx'
import { draftOf, graphOf } from '../editor/graph.ts'
import { compareGraphs, type Difference, type SettingChange } from './compare.ts'
import { titleOfVersion, type Version, VersionName } from './version-name.tsx'

type VersionList = Pick<AutomationVersions, 'versions' | 'has_more'>

/** Until they are read, the field stands empty, so that nothing below it moves. */
const none_yet: VersionList = { versions: [], has_more: false }

export function VersionsSection({ flow }: { readonly flow: AutomationFlow }) {
  const read = useObject('automation_versions', flow.id, (atrium) => atrium.automationFlows.versions(flow.id), {
    params: { version: flow.version },
  })
  // Another tab, or an undo, named one.
  const named = JSON.stringify(flow.last_named_version)
  const known = useRef(named)
  const { refetch } = read
  useEffect(() => {
    if (known.current === named) return
    known.current = named
    void refetch()
  }, [named, refetch])
  return (
    <Section title={t('Versions')}>
      {read.data === undefined && read.error !== null ? (
        <ErrorState error={read.error} onRetry={() => void read.refetch()} plain />
      ) : (
        <Versions flow={flow} list={read.data ?? none_yet} />
      )}
    </Section>
  )
}

function Versions({ flow, list }: { readonly flow: AutomationFlow; readonly list: VersionList }) {
  const { nameOf } = useDirectory()
  const [chosen, setChosen] = useState('')
  const chosenVersion = list.versions.find((each) => String(each.version) === chosen)
  const labelOf = (version: Version) =>
    t('{title}: {time} by {name}', {
      title: titleOfVersion(version),
      time: dateTime(version.activated_at),
      name: nameOf(version.activated_by.id),
    })
  const choices = list.versions.map((each) => ({ value: String(each.version), label: labelOf(each) }))
  return (
    <div className="stack">
      <Field
        label={t('Compare with version')}
        hint={list.has_more ? t('Of more than 20 versions, the latest are here.') : undefined}
      >
        <Select choices={[{ value: '', label: t('None') }, ...choices]} value={chosen} onChange={setChosen} />
      </Field>
      {chosenVersion !== undefined && (
        <>
          <VersionName flow={flow} version={chosenVersion} />
          <Compared key={chosen} flow={flow} version={chosenVersion} />
        </>
      )}
    </div>
  )
}

function Compared({ flow, version }: { readonly flow: AutomationFlow; readonly version: Version }) {
  const comparison = useMemo(
    () => compareGraphs(draftOf(version.graph), draftOf(flow.graph)),
    [version.graph, flow.graph],
  )
  const write = useWrite({
    write: (atrium, _: null) => atrium.automationFlows.update(flow.id, { graph: version.graph }),
    done: () => t('Back at the steps of version {title}', { title: titleOfVersion(version) }),
    toastErrors: false,
  })
  const { differences, union, marks } = comparison
  if (differences.length === 0) return <p className="muted">{t('The steps are those of this version.')}</p>
  return (
    <>
      <p className="muted">{t('What changed since version {title}:', { title: titleOfVersion(version) })}</p>
      <FlowPicture flow={{ graph: graphOf(union), workspace: flow.workspace }} marks={marks} />
      <ul className="version-differences">
        {differences.map((difference) => (
          <DifferenceItem key={difference.node ?? difference.title} difference={difference} />
        ))}
      </ul>
      {flow.status === 'active' ? (
        <p className="muted">{t('Pause the flow to go back to this version.')}</p>
      ) : (
        <div className="row">
          <ConfirmButton
            action={t('Go back')}
            icon={History}
            title={t('Go back to version {title}?', { title: titleOfVersion(version) })}
            write={write}
            run={() => write.run(null)}
            onDone={() => {}}
          >
            {t(
              'The flow becomes a draft with the steps of this version. The present steps are lost unless a version has them.',
            )}
          </ConfirmButton>
        </div>
      )}
    </>
  )
}

const kind_looks = {
  added: { tone: 'good', text: t('Added') },
  removed: { tone: 'bad', text: t('Removed') },
  changed: { tone: 'warn', text: t('Changed') },
} as const

function DifferenceItem({ difference: { kind, title, changes } }: { readonly difference: Difference }) {
  const { tone, text } = kind_looks[kind]
  return (
    <li>
      <span className="row">
        <Badge tone={tone}>{text}</Badge>
        <strong>{title}</strong>
      </span>
      {changes.length > 0 && (
        <dl className="version-changes">
          {changes.map((change) => (
            <Change key={`${change.label} ${valueText(change.before)} ${valueText(change.after)}`} change={change} />
          ))}
        </dl>
      )}
    </li>
  )
}

function Change({ change: { label, before, after } }: { readonly change: SettingChange }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {before !== undefined && <del>{valueText(before)}</del>} {after !== undefined && <ins>{valueText(after)}</ins>}
      </dd>
    </div>
  )
}

/** A setting in one line: texts and formulas as they are written, the rest as JSON. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  const { $expr, $template } = (value ?? {}) as { readonly $expr?: unknown; readonly $template?: unknown }
  return String($expr ?? $template ?? JSON.stringify(value) ?? '')
}
