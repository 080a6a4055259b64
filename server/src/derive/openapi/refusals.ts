/** Error answers: for each status of an operation's class one answer, which names every code it can hold. */
import { type ErrorClass, type ErrorCode, errorClasses, errorKinds } from '../../api/declare/errors.ts'
import { errorGuide } from '../error-guide.ts'
import { errorHeaders, headersOf } from './headers.ts'
import { type JsonObject, pascal, present } from './json.ts'

const names: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'PlanRequired',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Deleted',
  429: 'RateLimited',
  500: 'InternalError',
  503: 'Unavailable',
}

/** The schema of every error (contract/02#error-envelope). */
export const ErrorEnvelope: JsonObject = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'What went wrong. Branch on `code`.',
      required: ['type', 'code', 'message', 'request_id'],
      properties: {
        type: {
          type: 'string',
          enum: [...new Set(Object.values(errorKinds).map((kind) => kind.type))],
          description: 'Class of the error.',
        },
        code: {
          type: 'string',
          enum: Object.keys(errorKinds),
          description: 'Code of the error, to branch on. New codes may be added.',
        },
        message: { type: 'string', description: 'The error as a sentence for people; its wording may change.' },
        param: {
          type: 'string',
          description: 'Parameter at fault; in a body its path, such as `data[3].title`. Absent without one.',
        },
        details: {
          type: 'array',
          description: 'All faults, if there are several; the first one is also in `param`.',
          items: {
            type: 'object',
            required: ['param', 'message'],
            properties: {
              param: { type: 'string', description: 'Parameter at fault, as a path.' },
              message: { type: 'string', description: 'The fault as a sentence for people.' },
            },
          },
        },
        request_id: {
          type: 'string',
          description: 'Id of the request, to quote when you ask for help; also in `X-Request-Id`.',
        },
      },
    },
  },
}

/** Status → codes, of a class. */
function byStatus(errorClass: ErrorClass): Map<number, ErrorCode[]> {
  const found = new Map<number, ErrorCode[]>()
  for (const code of errorClasses[errorClass]) {
    const { status } = errorKinds[code]
    found.set(status, [...(found.get(status) ?? []), code])
  }
  return new Map([...found].sort(([a], [b]) => a - b))
}

/** Collects the error answers that operations refer to, for `components`. */
export class Refusals {
  readonly named = new Map<string, JsonObject>()

  /** Status → reference, for an operation's class. */
  of(errorClass: ErrorClass): JsonObject {
    const answers: Record<string, JsonObject> = {}
    for (const [status, codes] of byStatus(errorClass)) {
      const name = nameOf(errorClass, status, codes)
      if (!this.named.has(name)) this.named.set(name, answer(status, codes))
      answers[status] = { $ref: `#/components/responses/${name}` }
    }
    return answers
  }
}

/** The name of the status, prefixed by the first class with these codes if classes differ. */
function nameOf(errorClass: ErrorClass, status: number, codes: readonly ErrorCode[]): string {
  const classes = (Object.keys(errorClasses) as ErrorClass[]).map((each) => ({
    each,
    codes: byStatus(each).get(status),
  }))
  const having = classes.filter((each) => each.codes !== undefined)
  const same = having.filter((each) => each.codes?.join() === codes.join())
  const first = same[0]?.each ?? errorClass
  return `${same.length === having.length ? '' : pascal(first)}${names[status]}`
}

function answer(status: number, codes: readonly ErrorCode[]): JsonObject {
  const lines = codes.map((code) => `- \`${code}\`: ${errorGuide[code].meaning}`)
  return {
    description: lines.join('\n'),
    headers: headersOf(errorHeaders(status)),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
    'x-error-codes': codes,
  }
}

export function exampleOf(code: ErrorCode): JsonObject {
  const { type, message } = errorKinds[code]
  const { param } = errorGuide[code]
  return { error: present({ type, code, message, param, request_id: 'req_01J4ZK3V8M0000000000000000' }) }
}
