import { readClientEnvironment } from '../config.ts'
import { quoted } from '../lib/quoted.ts'
import { checkedKey, readServer } from './client/connection.ts'
import { failureOf } from './client/exit-codes.ts'
import { Client } from './client/http.ts'
import { type Profile, profile_name, readProfiles, requireProfile, writeProfiles } from './client/profiles.ts'
import { readSecret } from './client/read-secret.ts'
import { command, UsageError } from './command.ts'
import { table } from './print.ts'

function requireName(name: string): void {
  if (!profile_name.test(name)) {
    throw new UsageError(`A profile cannot be named ${quoted(name)}. Use 1 to 64 letters, digits, ".", "_" and "-".`)
  }
}

/** Stores a server with its key, after a request with the key has succeeded. */
export const profileAdd = command({
  name: 'profile add',
  group: 'Using the API',
  summary: 'Store a server and its key for the commands that use the API',
  details:
    'The key is read from standard input, or from a prompt on a terminal. It is stored in profiles.json in\n' +
    '$XDG_CONFIG_HOME/atrium (~/.config/atrium), readable only by you. The first profile becomes the default. An existing\n' +
    'profile of the same name is replaced.',
  argument: { shows: '<name>', does: 'Name of the profile.' },
  options: {
    url: { shows: '<url>', does: 'URL of the server.', required: true, read: readServer },
    default: { shows: '', flag: true, does: 'Make it the default profile.' },
  },
  examples: [
    'atrium profile add acme --url https://atrium.acme.example < key.txt',
    'atrium profile add trial --url http://127.0.0.1:4010 --default',
  ],
  async run({ url, default: chosen }, name) {
    requireName(name)
    const { folder } = readClientEnvironment()
    const known = readProfiles(folder)
    const key = checkedKey(await readSecret('Key: '), 'Standard input')
    const profile = await tried(url, key)
    const first = known.default === null || !Object.hasOwn(known.profiles, known.default)
    writeProfiles(folder, {
      default: chosen || first ? name : known.default,
      profiles: { ...known.profiles, [name]: profile },
    })
    return shownAll(name)
  },
})

export const profileUse = command({
  name: 'profile use',
  group: 'Using the API',
  summary: 'Make a profile the default',
  argument: { shows: '<name>', does: 'Name of the profile.' },
  examples: ['atrium profile use acme'],
  async run(_given, name) {
    const { folder } = readClientEnvironment()
    const known = readProfiles(folder)
    requireProfile(known, name)
    writeProfiles(folder, { ...known, default: name })
    return shownAll(name)
  },
})

export const profileRemove = command({
  name: 'profile remove',
  group: 'Using the API',
  summary: 'Remove a profile and its key',
  details: 'The key itself stays valid; api_keys.delete revokes it.',
  argument: { shows: '<name>', does: 'Name of the profile.' },
  examples: ['atrium profile remove trial'],
  async run(_given, name) {
    const { folder } = readClientEnvironment()
    const known = readProfiles(folder)
    requireProfile(known, name)
    const { [name]: _gone, ...profiles } = known.profiles
    writeProfiles(folder, { default: known.default === name ? null : known.default, profiles })
    return { json: { removed: name }, text: `Removed ${name}.` }
  },
})

export const profileList = command({
  name: 'profile list',
  group: 'Using the API',
  summary: 'List the profiles, without their keys',
  examples: ['atrium profile list', 'atrium profile list --json'],
  async run() {
    return shownAll()
  },
})

/** All profiles, or the one of a name; keys are left out. */
function shownAll(only?: string) {
  const { profiles, default: chosen } = readProfiles(readClientEnvironment().folder)
  const shown = Object.entries(profiles)
    .filter(([name]) => only === undefined || name === only)
    .map(([name, { url, organization, mode }]) => ({ name, url, organization, mode, default: name === chosen }))
  const rows = shown.map((each) => [each.name, each.url, each.organization, each.mode, each.default ? 'default' : ''])
  const text =
    rows.length === 0
      ? "There are no profiles. 'atrium profile add' adds one."
      : table([['NAME', 'SERVER', 'ORGANIZATION', 'MODE'], ...rows])
  return { json: only === undefined ? { profiles: shown } : shown[0], text }
}

async function tried(url: string, key: string): Promise<Profile> {
  const client = new Client({ url, key, apiVersion: null }, { retries: 1, waitSeconds: 0, say: () => {} })
  const reply = await client.send({ method: 'GET', path: '/v1/me' })
  const me = reply.body as { object?: string; organization: { id: string }; mode: string } | undefined
  if (reply.status !== 200 || me?.object !== 'api_identity') throw failureOf(reply)
  return { url, key, organization: me.organization.id, mode: me.mode }
}
