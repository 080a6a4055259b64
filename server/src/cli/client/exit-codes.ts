/** The exit codes of commands that call a server. Scripts branch on them; docs/command-line.md lists them. */
import { Failure } from '../command.ts'
import { envelopeOf, type Reply } from './reply.ts'

export const exit = {
  done: 0,
  /** The server refused the input, or an import refused rows. */
  refused: 1,
  /** Called wrongly: nothing was sent. */
  usage: 2,
  /** 404 and 410. */
  not_found: 3,
  /** 401, 402 and 403. */
  not_allowed: 4,
  /** 409. */
  conflict: 5,
  /** 429: the credits are used up for longer than the command waits. */
  no_credits: 6,
  /** No answer, a 5xx, or an answer that is not Atrium's: repeating later may help. */
  unavailable: 7,
} as const

const of_status: Readonly<Record<number, number>> = {
  401: exit.not_allowed,
  402: exit.not_allowed,
  403: exit.not_allowed,
  404: exit.not_found,
  409: exit.conflict,
  410: exit.not_found,
  429: exit.no_credits,
}

/** A refused request as a failure: all its faults in the message, the code for programs. */
export function failureOf(reply: Pick<Reply, 'status' | 'body' | 'retryAfter'>): Failure {
  const found = envelopeOf(reply)
  const code = of_status[reply.status] ?? (reply.status >= 500 || found === null ? exit.unavailable : exit.refused)
  if (found === null) {
    return new Failure(`The server answered ${reply.status}, but not in the form of Atrium.`, code, {
      status: reply.status,
    })
  }
  const { type, param, request_id, details } = found
  const whole =
    details !== undefined && details.length > 1
      ? details.map((fault) => `${fault.param}: ${fault.message}`).join(' ')
      : found.message
  const wait = reply.retryAfter === null ? '' : ` Retry after ${reply.retryAfter} s.`
  return new Failure(`${whole}${wait}`, code, {
    type,
    code: found.code,
    ...(param === undefined ? {} : { param }),
    ...(request_id === undefined ? {} : { request_id }),
    ...(details === undefined ? {} : { details }),
  })
}
