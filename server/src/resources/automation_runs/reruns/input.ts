/**
 * The input of a rerun: what the other run received, with corrections (contract/16#reruns). It is checked as the trigger checks what it
 * receives. Masked values that are sent back mean the values that they stand for, which are shown nowhere.
 */
import Type, { type Static } from 'typebox'
import { refuse } from '../../../api/declare/errors.ts'
import { described } from '../../../api/declare/shapes.ts'
import { declaredInputs } from '../../../automations/calls.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { NodeOf } from '../../../automations/schema.ts'
import { parseStrictJson } from '../../../lib/strict-json.ts'
import { showInput } from '../automation_run_input.ts'
import type { HookRequest } from '../shared/hooks.ts'
import type { Received } from '../shared/received.ts'
import { answersOf, SentAnswers } from '../shared/sent-answers.ts'
import { inputsOf, SentInputs } from '../shared/sent-inputs.ts'
import { mailOf, SentMail } from '../shared/sent-mail.ts'
import { unmasked } from './unmask.ts'

const {
  automation_hook_headers_max: headers_max,
  automation_hook_header_chars_max: header_chars_max,
  automation_hook_fields_max: fields_max,
  automation_hook_bytes_max: bytes_max,
  automation_hook_depth_max: depth_max,
  automation_hook_containers_max: containers_max,
} = automation_limits

const SentRequest = Type.Object(
  {
    body: described(Type.Optional(Type.Unknown()), 'Body: any JSON, or the fields of a form as an object.'),
    headers: described(
      Type.Optional(
        Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: header_chars_max }), {
          maxProperties: headers_max,
        }),
      ),
      'Headers that the trigger names, in lower case.',
    ),
    query: described(
      Type.Optional(
        Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: fields_max })]), {
          maxProperties: fields_max,
        }),
      ),
      'Parameters of the query; repeated ones are lists.',
    ),
  },
  { additionalProperties: false },
)

/** Fields of a body that correct what a run received. */
export const corrections = {
  request: described(
    Type.Optional(SentRequest),
    'Corrected request of a `trigger.webhook`. Parts that are left out stay as they were.',
  ),
  form: described(
    Type.Optional(SentAnswers),
    'Corrected answers of a `trigger.form` by key. Answers that are left out stay as they were.',
  ),
  mail: described(
    Type.Optional(SentMail),
    'Corrected mail of a `trigger.mail`. Fields that are left out stay as they were.',
  ),
  call: described(
    Type.Optional(SentInputs),
    'Corrected inputs of a `trigger.call` by name. Inputs that are left out stay as they were.',
  ),
}

export interface Corrections {
  readonly request?: Static<typeof SentRequest>
  readonly form?: Static<typeof SentAnswers>
  readonly mail?: Static<typeof SentMail>
  readonly call?: Static<typeof SentInputs>
}

const trigger_of = {
  request: 'trigger.webhook',
  form: 'trigger.form',
  mail: 'trigger.mail',
  call: 'trigger.call',
} as const

/** What a run receives from outside, of which a person can correct one. */
export const received_parts = ['request', 'form', 'mail', 'call'] as const

/** The name of the corrected part; null if nothing is corrected. Refuses parts that the trigger does not receive. */
export function correctedPart(sent: Corrections, trigger: string): keyof Corrections | null {
  const names = received_parts.filter((name) => sent[name] !== undefined)
  for (const name of names) {
    if (trigger_of[name] === trigger) continue
    const message = `${name} cannot be sent for a run of ${trigger}. It belongs to ${trigger_of[name]}.`
    throw refuse('invalid_request_body', { param: name, message })
  }
  return names[0] ?? null
}

type Trigger = { readonly type: string; readonly config: object }

/** What the rerun receives. Refuses with 400 what the trigger would refuse. */
export function correct(
  run: { readonly id: string },
  received: Received,
  sent: Corrections,
  trigger: Trigger,
): Received {
  const shown = showInput(run, received)
  const { request, form, mail, call } = received
  const requestSent = unmasked(sent.request, shown.request, request, 'request')
  return {
    request: request === null ? null : correctRequest(request, requestSent, trigger as NodeOf<'trigger.webhook'>),
    form:
      form === null
        ? null
        : correctForm(valuesOf(form), unmasked(sent.form, valuesOf(shown.form ?? []), valuesOf(form), 'form'), trigger),
    mail: mail === null ? null : mailOf(unmasked(sent.mail, shown.mail, mail, 'mail') ?? {}, mail),
    call: call === null ? null : correctCall(call, unmasked(sent.call, shown.call, call, 'call'), trigger),
  }
}

type Answers = Static<typeof SentAnswers>

function valuesOf(answers: readonly { readonly key: string; readonly value: Answers[string] }[]): Answers {
  return Object.fromEntries(answers.map(({ key, value }) => [key, value]))
}

function correctForm(known: Answers, sent: Answers | undefined, trigger: Trigger) {
  const { fields } = trigger.config as NodeOf<'trigger.form'>['config']
  const kept = Object.fromEntries(
    fields.map(({ key }) => [key, Object.hasOwn(known, key) ? (known[key] ?? null) : null]),
  )
  return answersOf({ ...kept, ...sent }, fields)
}

/** Inputs that the version no longer declares are left out. */
function correctCall(known: object, sent: Corrections['call'], trigger: Trigger): Record<string, unknown> {
  const declared = declaredInputs((trigger.config as NodeOf<'trigger.call'>['config']).inputs).map(({ key }) => key)
  const kept = Object.entries(known).filter(([key]) => declared.includes(key))
  return inputsOf({ ...Object.fromEntries(kept), ...sent }, trigger)
}

function correctRequest(
  request: HookRequest,
  sent: Corrections['request'],
  { config }: NodeOf<'trigger.webhook'>,
): HookRequest {
  const named = config.headers ?? []
  const unnamed = Object.keys(sent?.headers ?? {}).find((name) => !named.includes(name))
  if (unnamed !== undefined) {
    const names = named.length === 0 ? 'It names none.' : `Use ${named.join(', ')}.`
    const message = `request.headers.${unnamed} is not a header that the trigger names. ${names}`
    throw refuse('invalid_request_body', { param: `request.headers.${unnamed}`, message })
  }
  const corrected = { ...request, ...sent }
  if (sent?.body !== undefined) requireBody(sent.body)
  if (sent?.query !== undefined) requireQuery(sent.query)
  const headers = Object.entries(corrected.headers).filter(([name]) => named.includes(name))
  return { ...corrected, headers: Object.fromEntries(headers) }
}

function requireBody(body: unknown): void {
  const text = JSON.stringify(body)
  const bytes = Buffer.byteLength(text)
  if (bytes > bytes_max) {
    const message = `request.body has ${bytes} bytes as JSON. The limit is ${bytes_max}.`
    throw refuse('invalid_request_body', { param: 'request.body', message })
  }
  const parsed = parseStrictJson(text, { depth_max, containers_max })
  if (parsed.ok) return
  throw refuse('invalid_request_body', { param: 'request.body', message: `request.body: ${parsed.message}.` })
}

/** The bound of a request counts each value of a repeated parameter. */
function requireQuery(query: HookRequest['query']): void {
  const count = Object.values(query).flat().length
  if (count <= fields_max) return
  const message = `request.query has ${count} fields. The limit is ${fields_max}.`
  throw refuse('invalid_request_body', { param: 'request.query', message })
}
