/** What starts the flow: one of the usual starts by name, and what it needs: days, a schedule, the watched fields, filters. */
import { Checkbox, Combobox, Field, Input, Select } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { useEventOptions, watched_fields } from '../editor/choices.ts'
import { FlowFilter } from '../editor/filter-field.tsx'
import { settingAt, withSetting } from '../editor/graph.ts'
import { secondsIn, type Unit, unitChoices, unitOf } from '../editor/values.ts'
import { describeEvent } from '../trigger-text.ts'
import { CanvasTriggerFields } from './canvas-trigger-fields.tsx'
import type { CardFieldsProps } from './card-fields.ts'
import { ConditionFields } from './condition-fields.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import { startOf, starts, withStart } from './starts.ts'
import { WebhookFields } from './webhook-fields.tsx'
import { propertyWords } from './words.ts'

/** The settings that have a field on the card, at which their faults are shown. */
export const trigger_paths: readonly string[] = [
  'event_types',
  'changed_fields',
  'when',
  'cron',
  'timezone',
  'task_query',
  'offset_seconds',
  'label',
  'title',
  'introduction',
  'fields',
  'thanks',
  'inputs',
  'takes_task',
]

/** Triggers with the same settings as on the canvas. */
const on_canvas = new Set(['trigger.form', 'trigger.mail', 'trigger.call'])

interface SettingsProps extends CardFieldsProps {
  readonly set: (path: string, value: unknown) => void
  readonly faultOf: (path: string) => string | undefined
}

export function TriggerFields(props: CardFieldsProps) {
  const { node, faults, onChange } = props
  const start = startOf(node)
  const set = (path: string, value: unknown) =>
    onChange((before) => ({ ...before, config: withSetting(before.config, path, value) }), path)
  const faultOf = (path: string) => faults.find(({ setting }) => setting === path)?.message
  const settings = { ...props, set, faultOf }
  return (
    <>
      <Field label={t('Start')} hiddenLabel error={start.id === 'event' ? undefined : faultOf('event_types')}>
        <Combobox
          label={t('Start')}
          options={starts.map(({ id, label, group }) => ({ value: id, label, group }))}
          value={[start.id]}
          onChange={([id]) => {
            const next = starts.find((each) => each.id === id)
            if (next !== undefined && next.id !== start.id) onChange((before) => withStart(before, next), 'start')
          }}
        />
      </Field>
      {start.id === 'event' && <EventFields {...settings} />}
      {node.type === 'trigger.due' && <DueFields {...settings} />}
      {node.type === 'trigger.schedule' && <ScheduleSettings {...settings} />}
      {node.type === 'trigger.manual' && (
        <Field label={t('Text of the button')} error={faultOf('label')}>
          <Input
            value={String(settingAt(node.config, 'label') ?? '')}
            maxLength={80}
            onChange={({ currentTarget: { value } }) => set('label', value === '' ? undefined : value)}
          />
        </Field>
      )}
      {node.type === 'trigger.webhook' && <WebhookFields {...settings} />}
      {on_canvas.has(node.type) && <CanvasTriggerFields {...settings} />}
      {(node.type === 'trigger.event' || node.type === 'trigger.due') && (
        <ConditionFields {...props} path="when" label={t('Only if')} root={rootOf(node.config.event_types)} />
      )}
    </>
  )
}

/** The task as the event announced it; of other events the task as it is. */
function rootOf(events: unknown) {
  const isOfTask = Array.isArray(events) && events.every((event) => String(event).startsWith('workflow.task.'))
  return isOfTask ? 'event.data.object' : 'task'
}

function EventFields({ node, words, set, faultOf }: SettingsProps) {
  const events = useEventOptions()
  const selected = listAt(node.config.event_types)
  const fields = listAt(node.config.changed_fields)
  const offered = [
    ...new Set([...watched_fields, ...words.fields.map(({ key }) => `custom_fields.${key}`), ...fields]),
  ].map((field) => ({ value: field, label: propertyWords(field, words) }))
  const changes = selected.some((type) => /\.(updated|moved)$/.test(type))
  return (
    <>
      <Field label={t('Events')} error={faultOf('event_types')} required>
        <Combobox
          label={t('Events')}
          multiple
          options={events.map(({ value }) => ({ value, label: describeEvent(value) }))}
          value={selected}
          onChange={(next) => set('event_types', next)}
        />
      </Field>
      {(changes || fields.length > 0) && (
        <Field label={t('Only if one of these changed')} error={faultOf('changed_fields')}>
          <Combobox
            label={t('Only if one of these changed')}
            multiple
            placeholder={t('Any field')}
            options={offered}
            value={fields}
            onChange={(next) => set('changed_fields', next.length === 0 ? undefined : next)}
          />
        </Field>
      )}
    </>
  )
}

function listAt(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** Days or hours before or after the due date. */
function DueFields({ node, set, faultOf }: SettingsProps) {
  const offset = typeof node.config.offset_seconds === 'number' ? node.config.offset_seconds : 0
  const unit = unitOf(offset)
  const amount = Math.abs(offset) / secondsIn(unit)
  const change = (next: number, by: Unit, isBefore: boolean) =>
    set('offset_seconds', (isBefore ? -1 : 1) * Math.round(next * secondsIn(by)))
  return (
    <>
      <Field label={t('How long before or after')} error={faultOf('offset_seconds')}>
        <span className="row">
          <Input
            type="number"
            min={0}
            className="sentence-number"
            aria-label={t('Amount')}
            value={String(amount)}
            onChange={({ currentTarget }) => change(Number(currentTarget.value), unit, offset < 0)}
          />
          <Select
            aria-label={t('Unit')}
            choices={unitChoices}
            value={unit}
            onChange={(next) => change(amount, next, offset < 0)}
          />
          <Select
            aria-label={t('Before or after')}
            choices={[
              { value: 'before', label: t('before') },
              { value: 'after', label: t('after') },
            ]}
            value={offset < 0 ? 'before' : 'after'}
            onChange={(side) => change(amount, unit, side === 'before')}
          />
        </span>
      </Field>
      <Checkbox
        label={t('Leave out tasks that are done or canceled')}
        checked={node.config.only_open === true}
        onChange={(checked) => set('only_open', checked || undefined)}
      />
    </>
  )
}

function ScheduleSettings({ node, words, set, faultOf }: SettingsProps) {
  const { cron, timezone, task_query } = node.config
  return (
    <>
      <ScheduleFields
        cron={String(cron ?? '')}
        timezone={String(timezone ?? 'UTC')}
        onCron={(next) => set('cron', next)}
        onTimezone={(next) => set('timezone', next)}
        error={faultOf('cron') ?? faultOf('timezone')}
      />
      <Field
        label={t('Once for each task that matches')}
        hint={t('Without a filter, the steps have no task.')}
        error={faultOf('task_query')}
      >
        <FlowFilter
          label={t('Once for each task that matches')}
          workspace={words.workspace}
          value={task_query}
          onChange={(filter) => set('task_query', filter)}
        />
      </Field>
    </>
  )
}
