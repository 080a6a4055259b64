/** A node on the canvas: what it is, what it does, its ports, and what a run or the server's check says of it. */
import { Handle, Position } from '@xyflow/react'
import { CornerDownRight, Plus } from 'lucide-react'
import { Badge, IconButton, Menu, type Tone } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { addItems } from './add-step.tsx'
import { isTrigger, type NodeDraft, type targetsOf } from './graph.ts'
import { kindOf, portsOf } from './kinds.ts'
import { type CardWords, summaryOf, titleOf } from './summary.ts'

export interface NodeMark {
  readonly tone: Tone
  readonly text: string
  /** Whether a run went through the node. */
  readonly isTaken?: boolean
}

export interface CardData {
  readonly node: NodeDraft
  readonly words: CardWords
  readonly mark: NodeMark | undefined
  readonly onAdd: ((type: string, from: { readonly node: string; readonly port: string }) => void) | undefined
  /** Leads a port to another step, as dragging from it does. */
  readonly onConnect: ((source: string, port: string, target: string) => void) | undefined
  /** The steps that a port can lead to. */
  readonly targets: ReturnType<typeof targetsOf>
}

export function NodeCard({ data, selected }: { readonly data: CardData; readonly selected?: boolean }) {
  const { node, words, mark, onAdd, onConnect, targets } = data
  const { icon: Icon, title } = kindOf(node.type)
  const ports = portsOf(node)
  return (
    <div
      className="flow-card"
      data-selected={selected || undefined}
      data-kind={isTrigger(node) ? 'trigger' : 'step'}
      data-tone={mark?.tone}
    >
      {!isTrigger(node) && <Handle type="target" position={Position.Left} />}
      <div className="flow-card-head">
        <Icon aria-hidden="true" className="flow-card-icon" />
        <span className="flow-card-title cut">{titleOf(node)}</span>
        {mark && <Badge tone={mark.tone}>{mark.text}</Badge>}
      </div>
      <div className="flow-card-text">{summaryOf(node, words) || title}</div>
      {node.ui?.note && <div className="flow-card-note">{node.ui.note}</div>}
      {node.type === 'for_each' && <Handle type="source" id="body" position={Position.Bottom} isConnectable={false} />}
      <div className="flow-card-ports">
        {ports.map(({ name, label }) => (
          <div key={name} className="flow-card-port">
            {label && <span className="flow-card-port-name">{label}</span>}
            {onAdd && <AddMenu {...{ node, port: name, label, onAdd, onConnect, targets }} />}
            <Handle type="source" id={name} position={Position.Right} />
          </div>
        ))}
      </div>
    </div>
  )
}

interface AddMenuProps extends Pick<CardData, 'onConnect' | 'targets'> {
  readonly node: NodeDraft
  readonly port: string
  readonly label: string
  readonly onAdd: NonNullable<CardData['onAdd']>
}

function AddMenu({ node, port, label, onAdd, onConnect, targets }: AddMenuProps) {
  const title = titleOf(node)
  const connections = targets
    .filter(({ ports }) => !ports.includes(port))
    .map(({ target }) => ({
      label: t('Connect to “{title}”', { title: titleOf(target) }),
      icon: CornerDownRight,
      onSelect: () => onConnect?.(node.id, port, target.id),
    }))
  return (
    // React sends clicks in the menu to the card as well, which would select it instead of the new step.
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: it only stops clicks
    <span onClick={(event) => event.stopPropagation()}>
      <Menu
        align="start"
        label={t('Steps to add after {title}', { title })}
        trigger={
          <IconButton
            icon={Plus}
            size="s"
            className="nodrag"
            label={t('Add a step after {title}{value}', { title, value: label && `: ${label}` })}
          />
        }
        items={[
          ...addItems((type) => onAdd(type, { node: node.id, port }), 'steps'),
          ...(connections.length > 0 ? ['line' as const, ...connections] : []),
        ]}
      />
    </span>
  )
}
