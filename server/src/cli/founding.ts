/** Founding an organization with its first key and a link for its owner: what `init` does, and `serve` on an empty database. */
import { createOperatorLink } from '../console/links/create-operator-link.ts'
import { type Placeholder, query } from '../db/query.ts'
import type { Tx } from '../db/store.ts'
import { beginDemo, endDemo, type Interrupted } from '../demo/interrupted.ts'
import { story_hours, tellStory } from '../demo/tell.ts'
import { Teller } from '../demo/teller.ts'
import type { OpenServices } from '../main.ts'
import { createFirstKey } from '../resources/api_keys/create-by-operator.ts'
import { type Founded, type Founding, foundFirstWith, foundWith } from '../resources/organizations/found.ts'
import { Failure } from './command.ts'
import type { OpenedDatabase } from './database-files.ts'
import { linkText, placeText, secretText } from './print.ts'

interface FirstKey {
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

/** Founds an organization. Refuses a name that an organization has already, unless `another` is wanted. */
export async function found(services: OpenServices, founding: Founding, another = false): Promise<FirstAccess> {
  const addKey = addFirstKey(services)
  const { first } = await foundWith(services, founding, async (tx, founded, now) => {
    const same = another
      ? undefined
      : await tx.first(sameName, { name: founding.name, organization: founded.organization })
    if (same !== undefined) {
      const exists = `An organization "${founding.name}" exists already: ${same.organization}.`
      throw new Failure(`${exists} --another creates a second one of this name.`, 1, { param: 'organization' })
    }
    return await addKey(tx, founded, now)
  })
  return await withLink(services, first, founding.ownerEmail)
}

const sameName = query((db, p: Placeholder<{ name: string; organization: string }>) =>
  db
    .selectFrom('organizations')
    .select('organization')
    .where('name', '=', p('name'))
    .where('organization', '!=', p('organization'))
    .orderBy('organization')
    .limit(1),
)

const demo: Founding = { name: 'Demo', ownerEmail: 'owner@demo.example', plan: 'studio', domains: [] }

/**
 * Creates the demo organization with some days of work; null if the installation has an organization. `print` gets the key
 * and the link before that work is created: a start that is interrupted later has shown them.
 */
export async function foundDemo(
  services: OpenServices,
  print: (access: FirstAccess) => void = () => {},
): Promise<FirstAccess | null> {
  const teller = new Teller(services, story_hours)
  const addKey = addFirstKey(services)
  const made = await foundFirstWith(teller.services, demo, async (tx, founded, now) => {
    const first = await addKey(tx, founded, now)
    await beginDemo(tx, services.store, founded, teller.ends)
    return first
  })
  if (made === null) return null
  const access = await withLink(services, made.first, demo.ownerEmail)
  print(access)
  await tellDemo(teller, services, made.founded)
  return access
}

/** Creates the work of a demo that an earlier process left unfinished. Say before the server starts what was taken over. */
export async function completeDemo(services: OpenServices, { founded, cleared, ends }: Interrupted): Promise<void> {
  if (cleared) await tellDemo(new Teller(services, story_hours, ends), services, founded)
  else await endDemo(services.store, founded.organization)
}

/** If credits or disabled operations end the work early, the log says so and the organization stays usable. */
async function tellDemo(teller: Teller, services: OpenServices, founded: Founded): Promise<void> {
  await tellStory(teller, founded).catch((error) => {
    services.log.warn('the demo organization lacks some of its work', { error: String(error) })
  })
  await endDemo(services.store, founded.organization)
}

/** What `serve` prints about a demo that was interrupted. */
export function interruptedText({ cleared }: Interrupted, url: string): string {
  const head = `\nAtrium listens on ${url}.\n`
  if (cleared)
    return `${head}The creation of the organization "${demo.name}" was interrupted. Its work is created again; its key stays valid.\n`
  const why = `The creation of the organization "${demo.name}" was interrupted, and other changes followed`
  return `${head}${why}: it keeps them and lacks some of the demo's work. 'atrium init' creates another organization.\n`
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
export function demoText({ api_key, setup_url }: FirstAccess, url: string, place: OpenedDatabase): string {
  const made = `The database had no organization: it now has "${demo.name}" (owner ${demo.ownerEmail}).`
  return `\nAtrium listens on ${url}.\n${placeText(place)}\n${made}\n\n${linkText(setup_url)}\n\n${secretText(api_key.secret, url)}\n\n`
}
