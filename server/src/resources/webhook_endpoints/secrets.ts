/** Signing secrets: `whsec_` and 32 random bytes in base64, sealed in the database (contract/11#signing-secret). */
import type { WebhookEndpointRow } from '../../db/schema.ts'
import { endpointContext } from '../../db/secret-key/sealed-values.ts'
import type { Sealer } from '../../lib/seal.ts'
import { newSecretKey } from '../../lib/secret-key.ts'
import { overlaps } from './webhook_endpoint.ts'

/** A new secret and its sealed form. */
export function newSigningSecret(sealer: Sealer, realm: number, endpoint: string): { secret: string; sealed: string } {
  const secret = `whsec_${newSecretKey().toString('base64')}`
  return { secret, sealed: sealer.seal(secret, endpointContext(realm, endpoint)) }
}

/** The secrets that sign at `now` (milliseconds): the current one first, then the previous during the overlap. */
export function signingSecrets(sealer: Sealer, row: WebhookEndpointRow, now: number): string[] {
  const sealed = [row.secret, ...(row.previous_secret !== null && overlaps(row, now) ? [row.previous_secret] : [])]
  return sealed.map((each) => sealer.open(each, endpointContext(row.realm, row.id)))
}
