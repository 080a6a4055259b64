/** What a form asks on its card: the same settings as on the canvas. */
import { settingAt } from '../editor/graph.ts'
import { kindOf } from '../editor/kinds.ts'
import { NodeFieldControl } from '../editor/node-field.tsx'

interface FormTriggerFieldsProps {
  readonly node: { readonly config: Readonly<Record<string, unknown>> }
  readonly set: (path: string, value: unknown) => void
  readonly faultOf: (path: string) => string | undefined
}

export function FormTriggerFields({ node, set, faultOf }: FormTriggerFieldsProps) {
  return kindOf('trigger.form').fields.map((field) => (
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
