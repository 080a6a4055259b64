/**
 * Corrects the settings of the step from which a run runs again: the fields of the editor, with the values that the step received. Only
 * what was changed is sent; the rest is computed again.
 */
import type { AutomationRun, AutomationRunSteps } from '@atrium/sdk'
import { useObject } from '../../data/index.ts'
import { Checkbox, Field, Input, Notice, SkeletonLines, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { draftOf, type NodeDraft, settingAt, withSetting } from './editor/graph.ts'
import { kindOf, type NodeField } from './editor/kinds.ts'
import { Control } from './editor/node-field.tsx'
import { useGraphOf } from './editor/run-picture.tsx'
import { formulaOf, textOf } from './editor/values.ts'

export type StepInput = Readonly<Record<string, unknown>>

interface RerunStepProps {
  readonly run: AutomationRun
  readonly node: string
  readonly input: StepInput
  /** By path: `step_input.body`. */
  readonly errors: ReadonlyMap<string, string>
  readonly onChange: (input: StepInput) => void
}

/** Steps that decide by formulas alone. */
const deciding: ReadonlySet<string> = new Set(['condition', 'switch', 'for_each'])

export function RerunStep(props: RerunStepProps) {
  const { run, node: id } = props
  const graph = useGraphOf(run)
  const read = useObject(
    'automation_run_steps',
    run.id,
    (atrium) => atrium.automationRuns.steps(run.id, { workspace: run.workspace, node: id }),
    { params: { node: id, steps: run.usage.steps, status: run.status } },
  )
  if (graph === undefined || read.isPending) return <SkeletonLines lines={3} />
  const node = draftOf(graph).nodes.find((each) => each.id === id)
  if (node === undefined) return null
  if (deciding.has(node.type)) {
    return <p className="subtle">{t('This step decides by formulas. It is carried out again as it is.')}</p>
  }
  return <Fields {...props} step={node} received={receivedBy(read.data?.steps.at(-1))} />
}

type Received = AutomationRunSteps['steps'][number] | undefined

/** The settings as the step received them; empty if they are not known, or too long to be shown. */
function receivedBy(step: Received): StepInput {
  return step === undefined || step.input === null || step.is_input_cut ? {} : (JSON.parse(step.input) as StepInput)
}

interface FieldsProps extends RerunStepProps {
  readonly step: NodeDraft
  readonly received: StepInput
}

function Fields({ run, step, received, input, errors, onChange }: FieldsProps) {
  const fields = fieldsOf(step, received)
  const others = [...errors].filter(
    ([path]) => path.startsWith('step_input') && !fields.some((field) => isAt(path, field)),
  )
  const shown = { ...step.config, ...received, ...input }
  const project = settingAt(shown, 'project')
  return (
    <>
      <p className="subtle">
        {t('Correct what this step gets. What you leave as it is is computed again, and values shown as … are kept.')}
      </p>
      {others.map(([path, message]) => (
        <Notice key={path} tone="bad" title={t('Invalid input')}>
          {message}
        </Notice>
      ))}
      {fields.map((field) => {
        const source = settingAt(step.config, field.path)
        const changed = settingAt(input, field.path)
        const known = settingAt(received, field.path)
        return (
          <StepField
            key={field.path}
            field={field}
            value={changed ?? known ?? (isComputed(source) ? undefined : source)}
            hint={
              known === undefined && isComputed(source) ? t('Computed: {formula}', { formula: sourceOf(source) }) : ''
            }
            error={[...errors].find(([path]) => isAt(path, field))?.[1]}
            workspace={run.workspace}
            project={typeof project === 'string' ? project : null}
            onChange={(value) => onChange(withoutEmpty(withSetting(input, field.path, value)))}
          />
        )
      })}
    </>
  )
}

/** Without objects whose fields were all changed back. */
function withoutEmpty(input: StepInput): StepInput {
  const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0
  return Object.fromEntries(Object.entries(input).filter(([, value]) => Array.isArray(value) || !isEmpty(value)))
}

/** Whether an error is one of this field: `step_input.labels[2]`. */
function isAt(path: string, field: NodeField): boolean {
  const own = `step_input.${field.path}`
  return path === own || path.startsWith(`${own}.`) || path.startsWith(`${own}[`)
}

/** The settings that the graph gives to the step or that it received, in the order of the editor; unknown ones as JSON. */
function fieldsOf({ type, config }: NodeDraft, received: StepInput): readonly NodeField[] {
  const isSet = (path: string) => settingAt(config, path) !== undefined || settingAt(received, path) !== undefined
  const known = kindOf(type).fields.filter(({ path }) => isSet(path) && !isGiven(type, path))
  const covered = new Set([...known.map(({ path }) => path.split('.')[0]), ...(given_by_list[type] ?? [])])
  const rest = Object.keys({ ...config, ...received }).filter((name) => !covered.has(name))
  return [...known, ...rest.map((path): NodeField => ({ path, label: path, kind: 'json' }))]
}

/** What gives the tasks of a step: the tasks themselves are corrected instead. */
const given_by_list: Readonly<Record<string, readonly string[]>> = {
  'task.create_many': ['items', 'max_items', 'on_overflow', 'set'],
}

function isGiven(type: string, path: string): boolean {
  return given_by_list[type]?.includes(path.split('.')[0] ?? '') === true
}

function isComputed(value: unknown): boolean {
  return formulaOf(value) !== undefined || (typeof value === 'object' && textOf(value) !== '')
}

function sourceOf(value: unknown): string {
  return formulaOf(value) ?? textOf(value)
}

interface StepFieldProps {
  readonly field: NodeField
  readonly value: unknown
  readonly hint: string
  readonly error: string | undefined
  readonly workspace: string
  readonly project: string | null
  readonly onChange: (value: unknown) => void
}

/** Texts are taken as they are typed: braces insert nothing here. */
function StepField({ field, value, hint, error, workspace, project, onChange }: StepFieldProps) {
  const { label, kind } = field
  if (kind === 'checkbox') return <Checkbox label={label} checked={value === true} onChange={onChange} />
  const text = typeof value === 'string' ? value : ''
  return (
    <Field label={label} hint={hint || undefined} error={error}>
      {kind === 'long_text' ? (
        <TextArea rows={4} value={text} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
      ) : kind === 'text' || kind === 'formula' ? (
        <Input value={text} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
      ) : (
        <Control field={field} value={value} onChange={onChange} workspace={workspace} project={project} />
      )}
    </Field>
  )
}
