/** The parameters of a request of the protocol: of a query, or of a body in `application/x-www-form-urlencoded`. */
import type { Request } from '../../api/declare/request.ts'
import { OauthError, shown } from './errors.ts'

export type Form = ReadonlyMap<string, string>

/** Reads the parameters. Refuses a repeated one (RFC 6749 §3.1); an empty one counts as missing. */
export function readForm(text: string): Form {
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name))
      throw new OauthError('invalid_request', `The parameter ${shown(name)} is repeated. Send it once.`)
    form.set(name, value)
  }
  for (const [name, value] of form) if (value === '') form.delete(name)
  return form
}

const form_type = 'application/x-www-form-urlencoded'

/** Reads the body of a request of a client. */
export async function readFormBody(request: Request): Promise<Form> {
  const sent = String(request.headers['content-type'] ?? '')
  const [type = ''] = sent.split(';')
  if (type.trim().toLowerCase() !== form_type || 'content-encoding' in request.headers) {
    const found = sent === '' ? 'missing' : shown(sent)
    throw new OauthError('invalid_request', `Content-Type is ${found}. Use ${form_type}, without compression.`)
  }
  return readForm((await request.body()).toString('utf8'))
}

export function requireParameter(form: Form, name: string): string {
  const value = form.get(name)
  if (value === undefined) throw new OauthError('invalid_request', `The parameter ${shown(name)} is missing.`)
  return value
}
