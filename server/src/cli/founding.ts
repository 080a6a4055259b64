/** Founding an organization with its first key and a link for its owner: what `init` does, and `serve` on an empty database. */
import { createOperatorLink } from '../console/links/create-operator-link.ts'
import type { Tx } from '../db/store.ts'
import { story_hours, tellStory } from '../demo/tell.ts'
import { Teller } from '../demo/teller.ts'
import type { OpenServices } from '../main.ts'
import { createFirstKey } from '../resources/api_keys/create-by-operator.ts'
import { type Founded, type Founding, foundFirstWith, foundWith } from '../resources/organizations/found.ts'
import { linkText, secretText } from './print.ts'

export interface FirstKey {
  readonly organization: string
  /** The owner's user id. */
  readonly user: string
  readonly api_key: {
    readonly id: string
    readonly secret: string
    readonly scopes: readonly string[]
    readonly mode: string
  }
}

/** Both are shown once. */
export interface FirstAccess extends FirstKey {
  /** Where the owner sets a password. */
  readonly setup_url: string
}

export async function found(services: OpenServices, founding: Founding): Promise<FirstAccess> {
  const { first } = await foundWith(services, founding, addFirstKey(services))
  return await withLink(services, first, founding.ownerEmail)
}

const demo: Founding = { name: 'Demo', ownerEmail: 'owner@demo.example', plan: 'studio', domains: [] }

/**
 * Creates the demo organization with some days of work; null if the installation has an organization. `print` gets the key
 * and the link before that work is created: a start that is interrupted later has shown them. If credits or disabled
 * operations end the work early, the log says so and the organization stays usable.
 */
export async function foundDemo(
  services: OpenServices,
  print: (access: FirstAccess) => void = () => {},
): Promise<FirstAccess | null> {
  const teller = new Teller(services, story_hours)
  const made = await foundFirstWith(teller.services, demo, addFirstKey(services))
  if (made === null) return null
  const access = await withLink(services, made.first, demo.ownerEmail)
  print(access)
  await tellStory(teller, made.founded).catch((error) => {
    services.log.warn('the demo organization lacks some of its work', { error: String(error) })
  })
  return access
}

async function withLink(services: OpenServices, first: FirstKey, email: string): Promise<FirstAccess> {
  const { url } = await createOperatorLink(services, { organization: first.organization, email, role: 'owner' })
  return { ...first, setup_url: url }
}

/** Adds the first key to the transaction that founds the organization: no organization is left without a key. */
function addFirstKey({ sealer }: OpenServices) {
  return async (tx: Tx, founded: Founded, now: number): Promise<{ founded: Founded; first: FirstKey }> => {
    const { organization, user, realms } = founded
    const { id, secret, scopes, mode } = await createFirstKey(tx, sealer, { organization, realm: realms.live }, now)
    return { founded, first: { organization, user, api_key: { id, secret, scopes, mode } } }
  }
}

/** What `serve` prints when it has created the demo organization. */
export function demoText({ api_key, setup_url }: FirstAccess, url: string): string {
  const head = `Atrium listens on ${url}. The database was empty: it now has the organization "${demo.name}" (owner ${demo.ownerEmail}).`
  return `\n${head}\n\n${linkText(setup_url)}\n\n${secretText(api_key.secret, url)}\n\n`
}
