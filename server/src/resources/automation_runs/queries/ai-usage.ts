/**
 * The AI usage of flows by UTC day. The maximum cost of a request is reserved in the transaction that permits it and
 * replaced by the real cost afterwards, so no budget is exceeded, however many runs call at once
 * (contract/16#ai-steps).
 */
import { type Placeholder, query } from '../../../db/query.ts'
import type { Reader, Tx } from '../../../db/store.ts'

const day_ms = 86_400_000

/** The first millisecond of the UTC day. */
function dayOf(now: number): number {
  return Math.floor(now / day_ms) * day_ms
}

interface UsageKey {
  readonly organization: string
  readonly realm: number
  readonly flow: string
}

const ofOrganization = query((db, p: Placeholder<{ organization: string; day: number }>) =>
  db
    .selectFrom('automation_ai_usage')
    .select((select) => select.fn.sum('cost_micros').as('cost'))
    .where('organization', '=', p('organization'))
    .where('day', '=', p('day')),
)

const ofFlow = query((db, p: Placeholder<{ organization: string; day: number; realm: number; flow: string }>) =>
  db
    .selectFrom('automation_ai_usage')
    .select('cost_micros as cost')
    .where('organization', '=', p('organization'))
    .where('day', '=', p('day'))
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow')),
)

const addUsage = query(
  (
    db,
    p: Placeholder<{
      organization: string
      day: number
      realm: number
      flow: string
      requests: number
      input_tokens: number
      output_tokens: number
      cost_micros: number
    }>,
  ) =>
    db
      .insertInto('automation_ai_usage')
      .values({
        organization: p('organization'),
        day: p('day'),
        realm: p('realm'),
        flow: p('flow'),
        requests: p('requests'),
        input_tokens: p('input_tokens'),
        output_tokens: p('output_tokens'),
        cost_micros: p('cost_micros'),
      })
      .onConflict((conflict) =>
        conflict.columns(['organization', 'day', 'realm', 'flow']).doUpdateSet((eb) => ({
          requests: eb('automation_ai_usage.requests', '+', eb.ref('excluded.requests')),
          input_tokens: eb('automation_ai_usage.input_tokens', '+', eb.ref('excluded.input_tokens')),
          output_tokens: eb('automation_ai_usage.output_tokens', '+', eb.ref('excluded.output_tokens')),
          cost_micros: eb('automation_ai_usage.cost_micros', '+', eb.ref('excluded.cost_micros')),
        })),
      ),
)

/** Daily budgets in minor units; the flow's is undefined if it sets none. */
export interface AiCeilings {
  readonly organization: number
  readonly flow: number | undefined
}

/**
 * Reserves the maximum cost of a request. If that would exceed a budget, reserves nothing and returns whose budget it
 * is.
 */
export async function reserve(
  tx: Tx,
  key: UsageKey,
  cost_micros: number,
  ceilings: AiCeilings,
  now: number,
): Promise<'organization' | 'flow' | null> {
  const { organization, realm, flow } = key
  const bound = { organization, realm, flow, day: dayOf(now) }
  const all = Number((await tx.first(ofOrganization, bound))?.cost ?? 0)
  if (ceilings.organization === 0 || all + cost_micros > ceilings.organization * 1_000_000) return 'organization'
  const own = Number((await tx.first(ofFlow, bound))?.cost ?? 0)
  if (ceilings.flow !== undefined && own + cost_micros > ceilings.flow * 1_000_000) return 'flow'
  tx.write(addUsage, { ...bound, requests: 1, input_tokens: 0, output_tokens: 0, cost_micros })
  return null
}

/** What a flow has spent on the UTC day of `at`, reservations included, in millionths of a minor unit. */
export async function spentOf(reader: Reader, key: UsageKey, at: number): Promise<number> {
  return Number((await reader.first(ofFlow, { ...key, day: dayOf(at) }))?.cost ?? 0)
}

/** Replaces a reservation by the real usage, on the day of `reserved.at`. */
export function settleUsage(
  tx: Tx,
  key: UsageKey,
  reserved: { readonly at: number; readonly cost_micros: number },
  used: { readonly input_tokens: number; readonly output_tokens: number; readonly cost_micros: number },
): void {
  const { organization, realm, flow } = key
  const bound = { organization, realm, flow, day: dayOf(reserved.at), requests: 0 }
  tx.write(addUsage, { ...bound, ...used, cost_micros: used.cost_micros - reserved.cost_micros })
}
