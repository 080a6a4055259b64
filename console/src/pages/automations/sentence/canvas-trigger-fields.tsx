/** What a form, mail or a call asks on its card: the same settings as on the canvas. */
import { settingAt } from '../editor/graph.ts'
import { kindOf } from '../editor/kinds.ts'
import { NodeFieldControl } from '../editor/node-field.tsx'

interface CanvasTriggerFieldsProps {
  readonly node: { readonly type: string; readonly config: Readonly<Record<string, unknown>> }
  readonly set: (path: string, value: unknown) => void
  readonly faultOf: (path: string) => string | undefined
}

export function CanvasTriggerFields({ node, set, faultOf }: CanvasTriggerFieldsProps) {
  return kindOf(node.type).fields.map((field) => (
    <NodeFieldControl
      key={field.path}
      field={field}
      value={settingAt(node.config, field.path)}
      onChange={(value) => set(field.path, value)}
      workspace=""
      project={null}
      error={faultOf(field.path)}
    />
  ))
}
