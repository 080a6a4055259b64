/** The settings of the selected node: its fields, its name and note, what happens after an error, and what is wrong. */
import { Trash2 } from 'lucide-react'
import { Field, IconButton, Input, Notice, Select, TextArea } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { fieldsOfNode } from './call.ts'
import { useCallableFlows } from './choices.ts'
import type { GraphFault } from './fault-place.ts'
import { type GraphDraft, isTrigger, type NodeDraft, settingAt, withNodeSetting } from './graph.ts'
import { JsonField } from './json-field.tsx'
import { kindOf, kinds, mayFail, type NodeField } from './kinds.ts'
import { NodeFieldControl } from './node-field.tsx'

interface NodePanelProps {
  readonly graph: GraphDraft
  readonly node: NodeDraft
  readonly workspace: string
  readonly faults: readonly GraphFault[]
  /** `kind` names the field, so that typing in it is one step of undo. */
  readonly onChange: (change: (node: NodeDraft) => NodeDraft, kind: string) => void
  readonly onRemove: () => void
}

export function NodePanel(props: NodePanelProps) {
  const { node, workspace, faults, onChange, onRemove } = props
  const kind = kindOf(node.type)
  const fields = fieldsOfNode(node, useCallableFlows(workspace))
  const inFields = new Set(fields.flatMap((field) => faultOf(field, faults) ?? []))
  const others = faults.filter((fault) => !inFields.has(fault))
  const project = settingAt(node.config, 'project')
  const change = (path: string, value: unknown) =>
    onChange((before) => ({ ...before, config: withNodeSetting(before, path, value) }), `${node.id} ${path}`)
  return (
    <aside className="flow-panel" aria-label={t('Settings of {title}', { title: kind.title })}>
      <div className="stack">
        <div className="flow-panel-head">
          <h2 className="section-title grow">{kind.title}</h2>
          <IconButton icon={Trash2} label={t('Remove step')} onClick={onRemove} />
        </div>
        {others.map(({ setting, message }) => (
          <Notice key={`${setting} ${message}`} tone="bad" title={setting || t('This step')}>
            {message}
          </Notice>
        ))}
        {fields.map((field) => (
          <NodeFieldControl
            key={`${node.id} ${field.path}`}
            field={field}
            value={settingAt(node.config, field.path)}
            onChange={(value) => change(field.path, value)}
            workspace={workspace}
            project={typeof project === 'string' ? project : null}
            error={faultOf(field, faults)?.message}
          />
        ))}
        {kinds[node.type] === undefined && (
          <Field label={t('Settings')}>
            <JsonField
              field={{ path: 'config', label: t('Settings'), kind: 'json' }}
              value={node.config}
              onChange={(config) =>
                onChange((before) => ({ ...before, config: config as NodeDraft['config'] }), 'config')
              }
              workspace={workspace}
              project={null}
            />
          </Field>
        )}
        <Place {...props} />
        <Names {...props} />
      </div>
    </aside>
  )
}

/** What is wrong with a field; with one of the listed tasks, too: `tasks[1].title`. */
function faultOf({ path, kind }: NodeField, faults: readonly GraphFault[]): GraphFault | undefined {
  return faults.find(({ setting }) => setting === path || (kind === 'task_list' && setting.startsWith(`${path}[`)))
}

/** The loop that the node is in, and what follows its last failed attempt. */
function Place({ graph, node, onChange }: NodePanelProps) {
  const loops = graph.nodes.filter(({ id, type }) => type === 'for_each' && id !== node.id)
  return (
    <>
      {loops.length > 0 && !isTrigger(node) && (
        <Field label={t('Loop')}>
          <Select
            choices={[
              { value: '', label: t('Not in a loop') },
              ...loops.map(({ id, name }) => ({ value: id, label: name ?? id })),
            ]}
            value={node.parent ?? ''}
            onChange={(loop) => onChange((before) => inLoop(before, loop), `${node.id} parent`)}
          />
        </Field>
      )}
      {mayFail(node) && (
        <Field label={t('If it fails')} hint={t('After the last attempt.')}>
          <Select
            choices={[
              { value: 'fail', label: t('The run fails') },
              { value: 'continue', label: t('Continue with the next step') },
              { value: 'branch', label: t('Follow the port Error') },
            ]}
            value={node.on_error ?? 'fail'}
            onChange={(on_error) =>
              onChange(
                ({ on_error: _, ...rest }) => (on_error === 'fail' ? rest : { ...rest, on_error }),
                `${node.id} on_error`,
              )
            }
          />
        </Field>
      )}
    </>
  )
}

function inLoop({ parent: _, ...node }: NodeDraft, loop: string): NodeDraft {
  return loop === '' ? node : { ...node, parent: loop }
}

function Names({ node, onChange }: NodePanelProps) {
  const note = (text: string) =>
    onChange(({ ui = {}, ...before }) => {
      const { note: _, ...place } = ui
      return { ...before, ui: text === '' ? place : { ...place, note: text } }
    }, `${node.id} note`)
  return (
    <>
      <Field label={t('Name')} hint={t('Formulas refer to this step as steps.{id}.', { id: node.id })}>
        <Input
          value={node.name ?? ''}
          maxLength={120}
          onChange={({ currentTarget: { value } }) =>
            onChange(
              ({ name: _, ...before }) => (value === '' ? before : { ...before, name: value }),
              `${node.id} name`,
            )
          }
        />
      </Field>
      <Field label={t('Note')}>
        <TextArea
          rows={2}
          maxLength={500}
          value={node.ui?.note ?? ''}
          onChange={({ currentTarget }) => note(currentTarget.value)}
        />
      </Field>
    </>
  )
}
