/**
 * Checks the custom fields of a task against the definitions of its workspace (contract/15#custom-field-values). Every
 * write of tasks calls it: create, update, batch, bulk, import, templates and automations. Keys without a definition take
 * any plain value.
 */
import type { Tenant } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { Reader } from '../../../db/store.ts'
import { fieldsOf } from '../../custom_fields/shared/queries.ts'
import { type FieldRule, fieldRule, valueAdvice } from '../../custom_fields/shared/values.ts'
import { userInstead, userNoun } from '../../members/member.ts'
import { excerpt } from '../filter/tokens.ts'

type Values = Readonly<Record<string, unknown>>
type From = { readonly tx: Reader; readonly caller: Tenant }

/** The fields of a workspace by key. They are read once, when the first value is checked. */
export class FieldRules {
  private readonly from: From
  private readonly workspace: string
  private rules: Promise<ReadonlyMap<string, FieldRule>> | undefined

  constructor(from: From, workspace: string) {
    this.from = from
    this.workspace = workspace
  }

  /** Starts the query, so that it shares a round trip with others, if there are values to check. */
  prefetch(sent: Values | undefined): void {
    if (sent !== undefined && Object.keys(sent).length > 0) void this.load()
  }

  private load(): Promise<ReadonlyMap<string, FieldRule>> {
    if (this.rules === undefined) {
      this.rules = this.read()
      // The failure reaches the code that awaits the rules.
      this.rules.catch(() => {})
    }
    return this.rules
  }

  private async read(): Promise<ReadonlyMap<string, FieldRule>> {
    const rows = await fieldsOf(this.from.tx, this.from.caller.realm, this.workspace)
    return new Map(rows.map((row) => [row.key, fieldRule(row)]))
  }

  /**
   * Refuses a value that does not fit its field, naming it with `prefix`, such as `data[3].custom_fields.points`. A value
   * that `current`, the task's stored JSON, has already is accepted, so that an old value does not stop a write.
   */
  async requireFitting(sent: Values | undefined, prefix: string, current = '{}'): Promise<void> {
    if (sent === undefined || Object.keys(sent).length === 0) return
    const rules = await this.load()
    if (rules.size === 0) return
    const stored = JSON.parse(current) as Values
    for (const [key, value] of Object.entries(sent)) {
      const field = rules.get(key)
      if (field === undefined || value === null || isSame(value, stored[key])) continue
      const advice = valueAdvice(field, value) ?? (await this.personAdvice(field, value))
      if (advice !== null) throw unfit(field, value, advice, prefix)
    }
  }

  private async personAdvice(field: FieldRule, value: unknown): Promise<string | null> {
    if (field.type !== 'person') return null
    const { tx, caller } = this.from
    // `valueAdvice` has refused other types.
    const user = value as string
    const member = await userNoun.find(tx, caller, user)
    if (member?.status === 'active') return null
    if (member !== undefined) return 'The member is not active.'
    const instead = await userInstead(tx, caller, user)
    return instead ?? 'Use the user id of an active member.'
  }
}

function isSame(sent: unknown, stored: unknown): boolean {
  return stored !== undefined && JSON.stringify(sent) === JSON.stringify(stored)
}

function unfit({ key, name, type }: FieldRule, value: unknown, advice: string, prefix: string): Error {
  const param = `${prefix}custom_fields.${key}`
  const shown = typeof value === 'string' ? excerpt(value) : excerpt(JSON.stringify(value)).slice(1, -1)
  const message = `${param} cannot be ${shown}: "${name}" is a field of type ${type}. ${advice}`
  return refuse('invalid_request_body', { param, message })
}
