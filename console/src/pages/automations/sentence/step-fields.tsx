/**
 * The settings of a step: those it needs, those it has, and a menu of the others. People, projects, labels and fields are chosen by name,
 * times in words, texts with `@` variables. A formula of the canvas is shown in words or as it is, and kept until it is replaced.
 */
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Button, Field, IconButton, inWords, Menu, Select } from '../../../design/index.ts'
import { inSentence, t } from '../../../language/index.ts'
import { fieldsOfNode } from '../editor/call.ts'
import { type NodeDraft, settingAt, withNodeSetting, withSetting } from '../editor/graph.ts'
import { mayFail, type NodeField } from '../editor/kinds.ts'
import { Control } from '../editor/node-field.tsx'
import { formulaOf } from '../editor/values.ts'
import type { CardFieldsProps, StepFieldProps } from './card-fields.ts'
import { CustomControl } from './custom-control.tsx'
import { LabelsField } from './labels-field.tsx'
import { MomentField } from './moment-field.tsx'
import type { Vocabulary } from './names.ts'
import { PersonField } from './person-field.tsx'
import { VariableText } from './variable-text.tsx'
import { formulaWords } from './words.ts'

const custom = /^(set|overrides)\.custom_fields\.(.+)$/

/** The fields of a step. Custom fields are fields of their own, also those that no longer exist. */
function fieldsOf({ type, config }: NodeDraft, words: Vocabulary): readonly NodeField[] {
  return fieldsOfNode({ type, config }, words.flows).flatMap((field): readonly NodeField[] => {
    if (!field.path.endsWith('.custom_fields')) return [field]
    const value = settingAt(config, field.path)
    const used = typeof value === 'object' && value !== null ? Object.keys(value) : []
    const keys = new Set([...words.fields.map(({ key }) => key), ...used])
    return [...keys].map((key) => ({ path: `${field.path}.${key}`, label: words.fieldName(key), kind: 'json' }))
  })
}

/** The settings that are shown: at them their faults appear, others at the card. */
export function shownPaths(node: NodeDraft, words: Vocabulary): readonly string[] {
  return fieldsOf(node, words)
    .filter((field) => isShown(field, node))
    .map(({ path }) => path)
}

/** What makes little sense without being asked for. */
const first_paths: ReadonlySet<string> = new Set(['set.title', 'add', 'project'])

function isShown({ path, required }: NodeField, { type, config }: NodeDraft): boolean {
  if (required === true || settingAt(config, path) !== undefined) return true
  if (path === 'project') return type === 'task.move'
  if (type === 'task.create_many') return path === 'items' || path === 'parent' || path === 'set.title'
  if (type === 'task.update_many') return path === 'query'
  return first_paths.has(path) && (type === 'task.label' || type === 'task.create')
}

export function StepFields(props: CardFieldsProps) {
  const { node, words, faults, onChange } = props
  const [opened, setOpened] = useState<readonly string[]>([])
  const all = fieldsOf(node, words)
  const shown = all.filter((field) => opened.includes(field.path) || isShown(field, node))
  const hidden = all.filter((field) => !shown.includes(field))
  const set = (path: string, value: unknown) => {
    setOpened((before) => (before.includes(path) ? before : [...before, path]))
    onChange((before) => ({ ...before, config: withoutEmpty(withNodeSetting(before, path, value)) }), path)
  }
  const fails = node.on_error !== undefined || opened.includes('on_error')
  const others = [
    ...hidden.map(({ path, label }) => ({ label, onSelect: () => setOpened((before) => [...before, path]) })),
    ...(mayFail(node) && !fails
      ? [{ label: t('If it fails'), onSelect: () => setOpened((before) => [...before, 'on_error']) }]
      : []),
  ]
  return (
    <>
      {shown.map((field) => (
        <StepField
          key={field.path}
          {...props}
          field={field}
          value={settingAt(node.config, field.path)}
          error={faults.find(({ setting }) => setting === field.path)?.message}
          onValue={(value) => set(field.path, value)}
          onClose={
            isOptional(field, node)
              ? () => {
                  set(field.path, undefined)
                  setOpened((before) => before.filter((path) => path !== field.path))
                }
              : undefined
          }
        />
      ))}
      {fails && <Failure node={node} onChange={onChange} />}
      {others.length > 0 && (
        <div>
          <Menu
            align="start"
            label={t('More settings')}
            trigger={
              <Button size="s" kind="quiet" icon={Plus}>
                {t('More settings')}
              </Button>
            }
            items={others}
          />
        </div>
      )}
    </>
  )
}

/** Whether the field can be taken off the card. */
function isOptional(field: NodeField, node: NodeDraft): boolean {
  const { config } = node
  return field.required !== true && !isShown(field, { ...node, config: withSetting(config, field.path, undefined) })
}

/** The last custom field takes the object around it along. */
function withoutEmpty(config: NodeDraft['config']): NodeDraft['config'] {
  for (const path of ['set.custom_fields', 'overrides.custom_fields']) {
    const value = settingAt(config, path)
    const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
    if (isEmpty) return withSetting(config, path, undefined)
  }
  return config
}

function Failure({ node, onChange }: Pick<CardFieldsProps, 'node' | 'onChange'>) {
  const choices = [
    { value: 'fail', label: t('The run fails') },
    { value: 'continue', label: t('Continue with the next step') },
    ...(node.on_error === 'branch' ? [{ value: 'branch', label: t('As the canvas says') }] : []),
  ]
  return (
    <Field label={t('If it fails')} hint={t('After the last attempt.')}>
      <Select
        choices={choices}
        value={node.on_error ?? 'fail'}
        onChange={(next) =>
          onChange(({ on_error: _, ...rest }) => (next === 'fail' ? rest : { ...rest, on_error: next }), 'on_error')
        }
      />
    </Field>
  )
}

function StepField(props: StepFieldProps) {
  const { field, error, onClose } = props
  return (
    <Field
      label={field.label}
      hint={field.kind === 'json' || field.path === 'task' ? field.hint : undefined}
      error={error}
      required={field.required ?? false}
      aside={
        onClose && (
          <IconButton
            icon={X}
            label={t('Remove {label}', { label: inSentence(field.label) })}
            size="s"
            onClick={onClose}
          />
        )
      }
    >
      <StepControl {...props} />
    </Field>
  )
}

function StepControl(props: StepFieldProps) {
  const { node, words, field, value, onValue } = props
  const customKey = custom.exec(field.path)?.[2]
  if (field.kind === 'person') return <PersonField {...props} />
  if (field.kind === 'date') return <MomentField {...props} />
  if (formulaOf(value) !== undefined && field.kind !== 'task_source') return <FormulaValue {...props} />
  if (customKey !== undefined) return <CustomControl {...props} fieldKey={customKey} />
  if (field.kind === 'labels') return <LabelsField {...props} />
  if ((field.kind === 'text' || field.kind === 'long_text') && field.computed) return <VariableText {...props} />
  const project = settingAt(node.config, 'project')
  return (
    <Control
      field={field}
      value={value}
      onChange={onValue}
      workspace={words.workspace}
      project={typeof project === 'string' ? project : null}
    />
  )
}

/** A value that the canvas computes: said in words if it has some. */
function FormulaValue({ field, value, onValue }: Pick<StepFieldProps, 'field' | 'value' | 'onValue'>) {
  const formula = formulaOf(value) ?? ''
  const words = formulaWords(formula)
  return (
    <span className="row sentence-wrap">
      {words === formula ? <code className="condition-formula">{formula}</code> : <span>{words}</span>}
      <Button
        size="s"
        aria-label={t('Replace the formula of {label}', { label: inWords(field.label) })}
        onClick={() => onValue(field.required && field.kind === 'long_text' ? '' : undefined)}
      >
        {t('Replace')}
      </Button>
    </span>
  )
}
