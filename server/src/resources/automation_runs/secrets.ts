/** Secrets are the operator's to set: the API neither takes nor shows them (decisions §16). */
import type { Mode } from '../../api/caller.ts'
import { refuse } from '../../api/errors.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/system-change.ts'
import { limits } from '../../lib/limits.ts'
import { requireRealms } from '../organizations/queries.ts'
import { keepSecret } from './queries-secrets.ts'

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
  /** Whether there was none of this name before. */
  readonly created: boolean
}

const name_form = /^[A-Za-z0-9][A-Za-z0-9:_-]*$/

/** Keeps a secret under a name, in place of one that was there; audited by name. Refuses what no header could hold. */
export async function writeSecret(
  services: Pick<Services, 'store' | 'clock' | 'committed' | 'sealer'>,
  { organization, mode, name, value }: GivenSecret,
): Promise<SetSecret> {
  if (!name_form.test(name) || name.length > limits.id_chars_max) {
    const message = `A name has at most ${limits.id_chars_max} of A-Z, a-z, 0-9, ":", "_" and "-", first a letter or digit.`
    throw refuse('invalid_request_body', { param: 'name', message })
  }
  if (!/^[!-~](?:[ -~]*[!-~])?$/.test(value) || value.length > limits.automation_secret_chars_max) {
    const message = `A secret has 1 to ${limits.automation_secret_chars_max} printable characters of ASCII in one line.`
    throw refuse('invalid_request_body', { param: 'value', message })
  }
  const realms = (await requireRealms(services.store, organization)).filter((realm) => realm.mode === mode)
  const [{ realm } = { realm: 0 }] = realms
  const about = { organization, realms, action: 'automation_secrets.set' }
  const created = await commitSystemChange(services, about, async ({ tx, now, note }) => {
    const isNew = await keepSecret(tx, services.sealer, { realm, name, value }, now, limits.automation_secrets_max)
    if (isNew === null) {
      const message = `There are ${limits.automation_secrets_max} secrets already.`
      throw refuse('resource_conflict', { param: 'name', message })
    }
    note({ target: { object: 'automation_secret', id: name } })
    return isNew
  })
  return { name, organization, mode, created }
}
