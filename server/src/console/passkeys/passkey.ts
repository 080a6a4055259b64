import type { PasskeyRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import type { Passkey } from '../shapes.ts'

export function showPasskey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    name: row.name,
    created: seconds(row.created),
    last_used_at: row.last_used_at === null ? null : seconds(row.last_used_at),
  }
}
