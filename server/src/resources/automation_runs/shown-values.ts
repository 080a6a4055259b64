/**
 * Values of a run as people see them: without secrets, and with a bound (contract/16#run-steps). Every text is masked by itself, so
 * that no mask reaches from one value into another one. What is masked may be more than the secret, and never less.
 */
import { redactCredentials } from '../../api/declare/credential-format.ts'
import { automation_limits } from '../../automations/limits.ts'

const secret_name =
  /password|passwd|passphrase|secret|token|authorization|cookie|api[_-]?key|private[_-]?key|signature|credential/i
const mask = '…'
/** The password in an address: up to the last `@` of its authority. */
const address_password = /(:\/\/[^\s/?#:@]*:)[^\s/?#]*@/g
/** The name of a parameter in an address, a form or a cookie; in an address within an address it may be percent-encoded. */
const parameter_name = /(?:^|[\s?&#;]|%3F|%26|%23)([^\s?&#;=%]+)(?:=|%3D)/gi
const parameter_end = /[\s&]|%26|$/g
/** A field of JSON that is part of a text. */
const json_field = /("([^"\\]{1,100})"\s*:\s*)"(?:[^"\\]|\\.)*"/g

type ShowText = (text: string) => string

/** A copy in which values whose names promise a secret are masked, and credentials of Atrium cut in names and texts. */
export function withoutSecrets(value: unknown): unknown {
  return shownValue(value, redactCredentials, 0)
}

function shownValue(value: unknown, show: ShowText, depth: number): unknown {
  if (typeof value === 'string') return show(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === automation_limits.automation_shown_depth_max) return mask
  if (Array.isArray(value)) return value.map((item) => shownValue(item, show, depth + 1))
  const shown = Object.entries(value).map(([name, field]): [string, unknown] => {
    const isSecret = secret_name.test(name) && field !== null && typeof field !== 'boolean'
    return [redactCredentials(name), isSecret ? mask : shownValue(field, show, depth + 1)]
  })
  return Object.fromEntries(shown)
}

/** Whether the value stands for another one that is not shown. */
export function isMasked(value: unknown): boolean {
  return value === mask || (typeof value === 'string' && /atr_(?:at_)?(?:live|test|scim)_…/.test(value))
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
  const text = JSON.stringify(shownValue(value, withoutSecretsInText, 0))
  return text.length > most ? `${text.slice(0, most).toWellFormed()}${mask}` : text
}

/** A text as it is shown of a run, of any length: without secrets. */
export function withoutSecretsIn(text: string): string {
  return withoutSecretsInText(text)
}

/** Whether `shownText` cut this text. */
export function isCut(text: string | null): boolean {
  return text !== null && text.length > automation_limits.automation_shown_chars_max
}

function withoutSecretsInText(text: string): string {
  const parsed = parsedJson(text)
  if (parsed !== null) {
    const shown = JSON.stringify(shownValue(parsed, withoutSecretsInText, 0))
    return shown === JSON.stringify(parsed) ? text : shown
  }
  const masked = redactCredentials(text)
    .replaceAll(address_password, `$1${mask}@`)
    .replaceAll(json_field, (field, start: string, name: string) =>
      secret_name.test(name) ? `${start}"${mask}"` : field,
    )
  return withoutParameters(masked)
}

/** The object or array that a text is; null for any other text. */
function parsedJson(text: string): object | null {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    return JSON.parse(text) as object
  } catch {
    return null
  }
}

/** Only values of secret names are skipped, because another value may be an address with parameters of its own. */
function withoutParameters(text: string): string {
  let shown = ''
  let done = 0
  for (const { 0: start, 1: name = '', index } of text.matchAll(parameter_name)) {
    if (index < done || !secret_name.test(name)) continue
    const from = index + start.length
    parameter_end.lastIndex = from
    shown += `${text.slice(done, from)}${mask}`
    done = parameter_end.exec(text)?.index ?? text.length
  }
  return shown + text.slice(done)
}
