/** Secrets that can be recognized in any common encoding, and the search for them in everything stored or shown. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Characters at the ends of an encoding that depend on neighbouring bytes. */
const edge = 4

export interface Canary {
  readonly what: string
  readonly secret: string
}

export interface Sighting {
  readonly canary: Canary
  readonly form: string
  readonly where: string
}

/** The encodings of a secret to search for, without its prefix and last four characters, which are shown on purpose. */
function formsOf(secret: string): [form: string, text: string][] {
  const core = secret.slice(Math.max(0, secret.lastIndexOf('_')) + 5, -4)
  const bytes = Buffer.from(core)
  const forms: [string, string][] = [
    ['clear', core],
    ['hex', bytes.toString('hex')],
    ['reversed', [...core].reverse().join('')],
    ['UTF-16', bytes.toString('utf16le').length === 0 ? core : Buffer.from(core, 'utf16le').toString('latin1')],
    ['percent', [...bytes].map((byte) => `%${byte.toString(16)}`).join('')],
  ]
  for (let shift = 0; shift < 3; shift++) {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes])
    for (const encoding of ['base64', 'base64url'] as const) {
      forms.push([`${encoding} ${shift}`, shifted.toString(encoding).slice(edge, -edge)])
    }
  }
  return forms
}

/** Every canary in a text, in any encoding. */
export function sightings(canaries: readonly Canary[], text: string, where: string): Sighting[] {
  return canaries.flatMap((canary) =>
    formsOf(canary.secret)
      .filter(([, form]) => text.includes(form))
      .map(([form]) => ({ canary, form, where })),
  )
}

/** The files below a folder with their bytes; compressed files also uncompressed. */
export function* filesBelow(folder: string): Generator<{ readonly path: string; readonly text: string }> {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    // A running database creates and removes files meanwhile.
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat?.isFile()) continue
    const bytes = readFileSync(path)
    yield { path: name, text: bytes.toString('latin1') }
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) yield { path: `${name}, unpacked`, text: gunzipSync(bytes).toString() }
  }
}
