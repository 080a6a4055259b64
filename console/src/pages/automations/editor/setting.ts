/** What the control of a setting gets. */
import type { NodeField } from './kinds.ts'

export interface SettingProps {
  readonly field: NodeField
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly workspace: string
  /** The project beside the column. */
  readonly project: string | null
}
