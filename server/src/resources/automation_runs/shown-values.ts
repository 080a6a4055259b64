/** Values of a run as people see them: without secrets, and with a bound (contract/16#run-steps). */
import { redactCredentials } from '../../api/declare/credential-format.ts'
import { automation_limits } from '../../automations/limits.ts'

const secret_name = /password|passwd|secret|token|authorization|api[_-]?key|signature|credential/i
const mask = '…'
/** The password in an address. */
const address_password = /(:\/\/[^\s/:@]*:)[^\s/@]+@/g
/** A parameter of an address and its value. */
const address_parameter = /([?&])([^\s?=&#]+)=([^\s&#]+)/g

/** A copy in which values whose names promise a secret are masked, and credentials in texts cut. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return withoutCredentials(value)
  const shown = Object.entries(value).map(([name, field]): [string, unknown] => {
    const isSecret = secret_name.test(name) && field !== null && typeof field !== 'boolean'
    return [name, isSecret ? mask : withoutSecrets(field)]
  })
  return Object.fromEntries(shown)
}

/** The value; a text without credentials of Atrium. */
export function withoutCredentials<T>(value: T): T {
  return (typeof value === 'string' ? redactCredentials(value) : value) as T
}

/**
 * A value as JSON without secrets, of at most `automation_shown_chars_max` characters; a longer one is cut and ends in `…`. Null for
 * no value.
 */
export function shownText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const most = automation_limits.automation_shown_chars_max
  const text = JSON.stringify(withoutSecrets(value))
    .replaceAll(address_password, `$1${mask}@`)
    .replaceAll(address_parameter, (parameter, mark: string, name: string) =>
      secret_name.test(name) ? `${mark}${name}=${mask}` : parameter,
    )
  return text.length > most ? `${text.slice(0, most).toWellFormed()}${mask}` : text
}

/** Whether `shownText` cut this text. */
export function isCut(text: string | null): boolean {
  return text !== null && text.length > automation_limits.automation_shown_chars_max
}
