/** Replaces the random parts of a response (ids, secrets, signatures, ports) by texts that depend on names only. */
import { hash } from 'node:crypto'

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ulid = /\b([a-z]+)_([0-7][0-9A-HJKMNP-TV-Z]{9})([0-9A-HJKMNP-TV-Z]{16})\b/g
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g
const option = /\bopt_[0-9a-f]{16}\b/g
const hashed = /\b[0-9a-f]{64}\b/g

export class Placeholders {
  private readonly url: string
  private readonly names: ReadonlyMap<string, string>
  private readonly known = new Map<string, string>()

  constructor(url: string, names: ReadonlyMap<string, string>) {
    this.url = url
    this.names = names
  }

  /** Returns a copy without random parts. `subject` names what it is an example of. */
  replace<T extends object>(example: T, subject: string): T {
    let count = 0
    const named = (text: string) => this.names.get(text) ?? `${subject} ${++count}`
    const text = JSON.stringify(example)
      .replaceAll(this.url, 'https://atrium.example')
      .replaceAll(/https?:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+/g, 'https://hooks.example.com')
      .replaceAll(/\batr_((?:at_)?(?:live|test))_[0-9A-Za-z]{36}\b/g, (_all, kind) => `atr_${kind}_${'x'.repeat(36)}`)
      .replaceAll(/\batr_(live|test)_[0-9A-Za-z]{4}\b/g, (_all, mode) => `atr_${mode}_xxxx`)
      .replaceAll(/"last4":"\w{4}"/g, '"last4":"xxxx"')
      .replaceAll(/whsec_[0-9A-Za-z+/=]+/g, `whsec_${'x'.repeat(43)}=`)
      .replaceAll(
        /(\/v1\/hooks\/|\/forms\/|"secret":")[0-9A-Za-z]{43}"/g,
        (_all, before) => `${before}${'x'.repeat(43)}"`,
      )
      .replaceAll(/"secret":"[0-9a-z]{40}"/g, `"secret":"${'x'.repeat(40)}"`)
      .replaceAll(ulid, (id, prefix, time) => this.placeholder(id, () => `${prefix}_${time}${crockford(named(id))}`))
      .replaceAll(uuid, (id) => this.placeholder(id, () => asUuid(named(id))))
      .replaceAll(option, (id) => this.placeholder(id, () => `opt_${hash('sha256', named(id)).slice(0, 16)}`))
      .replaceAll(hashed, (id) => this.placeholder(id, () => hash('sha256', named(id))))
      .replaceAll(
        /"(next_cursor|preview_token)":"(?![a-z]+_[0-9A-Z]{26}")[^"]+"/g,
        (_all, name) => `"${name}":"${hash('sha256', subject, 'base64url')}"`,
      )
      // Measured by the machine's clock, not by the world's.
      .replaceAll(/("object":"webhook_test",[^{}]*"duration_ms":)\d+/g, (_all, before) => `${before}11`)
      .replaceAll(/([?&]signature=)[\w-]+/g, (_all, before) => `${before}${hash('sha256', subject, 'base64url')}`)
    return JSON.parse(text) as T
  }

  private placeholder(text: string, make: () => string): string {
    const known = this.known.get(text) ?? make()
    this.known.set(text, known)
    return known
  }
}

/** The 16 random characters of an id. */
function crockford(name: string): string {
  const bytes = hash('sha256', name, 'buffer')
  return Array.from({ length: 16 }, (_, i) => digits[(bytes[i] as number) & 31]).join('')
}

function asUuid(name: string): string {
  const hex = hash('sha256', name)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
