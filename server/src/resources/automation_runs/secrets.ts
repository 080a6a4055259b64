/** Sets secrets for the operator and for administrators: the API neither accepts nor shows them (contract/16#secrets). */
import type { Mode } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import { type Author, commitSystemChange } from '../../api/write/system-change.ts'
import { automation_limits } from '../../automations/limits.ts'
import { requireRealms } from '../organizations/shared/queries.ts'
import { keepSecret } from './queries/secrets.ts'

export interface GivenSecret {
  readonly organization: string
  readonly mode: Mode
  readonly name: string
  readonly value: string
}

export interface SetSecret {
  readonly name: string
  readonly organization: string
  readonly mode: Mode
  /** Whether the secret is new. */
  readonly created: boolean
}

const name_form = /^[A-Za-z0-9][A-Za-z0-9:_-]*$/

/**
 * Stores a secret and replaces an existing one; the audit log records its name. Refuses values that cannot stand in a
 * header. `author` is the operator by default.
 */
export async function writeSecret(
  services: Pick<Services, 'store' | 'clock' | 'committed' | 'sealer'>,
  { organization, mode, name, value }: GivenSecret,
  author?: Author,
): Promise<SetSecret> {
  if (!name_form.test(name) || name.length > limits.id_chars_max) {
    const message = `A name has at most ${limits.id_chars_max} of A-Z, a-z, 0-9, ":", "_" and "-", first a letter or digit.`
    throw refuse('invalid_request_body', { param: 'name', message })
  }
  if (!/^[!-~](?:[ -~]*[!-~])?$/.test(value) || value.length > automation_limits.automation_secret_chars_max) {
    const message = `A secret has 1 to ${automation_limits.automation_secret_chars_max} printable characters of ASCII in one line.`
    throw refuse('invalid_request_body', { param: 'value', message })
  }
  const realms = (await requireRealms(services.store, organization)).filter((realm) => realm.mode === mode)
  const [{ realm } = { realm: 0 }] = realms
  const about = { organization, realms, action: 'automation_secrets.set', ...author }
  const created = await commitSystemChange(services, about, async ({ tx, now, note }) => {
    const isNew = await keepSecret(
      tx,
      services.sealer,
      { realm, name, value },
      now,
      automation_limits.automation_secrets_max,
    )
    if (isNew === null) {
      const message = `There are ${automation_limits.automation_secrets_max} secrets already.`
      throw refuse('resource_conflict', { param: 'name', message })
    }
    note({ target: { object: 'automation_secret', id: name } })
    return isNew
  })
  return { name, organization, mode, created }
}
