/**
 * Writes through the API, one request at a time, each recorded in the journal before it is sent. A request with an
 * unknown outcome is repeated with its key while the server keeps the answer (24 hours, contract/03#window); after that
 * its effect is looked up.
 */
import { hash } from 'node:crypto'
import { exit, failureOf } from '../client/exit-codes.ts'
import type { Client } from '../client/http.ts'
import type { Reply } from '../client/reply.ts'
import { envelopeOf } from '../client/reply.ts'
import { Failure } from '../command.ts'
import { cli_limits } from '../limits.ts'
import type { Journal, Step } from './journal.ts'
import { effectOf } from './recover.ts'

/** The outcome of a step: the ids that it created, or the refusal. */
export type Done =
  | { readonly ids: readonly string[]; readonly outcomes: readonly Outcome[] }
  | { readonly refusal: Reply }

/** What an import answers for each task. */
export interface Outcome {
  readonly outcome: 'created' | 'unchanged' | 'changed' | 'deleted'
  readonly key: string
}

const resume_advice = 'The journal records what is done: run the same command again to continue.'

/** Final refusals: nothing was created, and the step is not repeated. */
const over: ReadonlySet<number> = new Set([400, 404, 409, 410])

export class Steps {
  readonly journal: Journal
  private readonly client: Client
  private stopping = false

  constructor(client: Client, journal: Journal) {
    this.client = client
    this.journal = journal
  }

  /** From now on, a signal stops the import between two requests. */
  heedSignals(): () => void {
    const stop = (): void => {
      this.stopping = true
      process.stderr.write('atrium: Stopping after this request.\n')
    }
    process.once('SIGINT', stop).once('SIGTERM', stop)
    return () => process.off('SIGINT', stop).off('SIGTERM', stop)
  }

  /** Determines the outcome of the request that an earlier run left open. */
  async settle(): Promise<void> {
    const step = this.journal.pending
    if (step === null) return
    if (Date.now() - step.at < cli_limits.import_repeat_ms) {
      await this.send(step)
      return
    }
    const ids = await effectOf(this.client, step, this.journal)
    if (ids === null) this.journal.drop()
    else this.journal.end(ids)
  }

  async take(name: string, path: string, body: object, rows?: readonly string[]): Promise<Done> {
    if (this.stopping) throw new Failure(`Interrupted. ${resume_advice}`, 130)
    const print = hash('sha256', [this.journal.identity.id, name, JSON.stringify(body)].join('\n')).slice(0, 48)
    const step: Step = {
      name,
      at: Date.now(),
      path,
      body,
      idempotency_key: `import-${print}`,
      ...(rows === undefined ? {} : { rows }),
    }
    this.journal.begin(step)
    return await this.send(step)
  }

  private async send({ path, body, idempotency_key, rows }: Step): Promise<Done> {
    const headers = { 'idempotency-key': idempotency_key }
    const sending = { method: 'POST', path, headers, body: JSON.stringify(body) }
    const reply = await this.client.send(sending).catch((error) => {
      throw error instanceof Failure
        ? new Failure(`${error.message} ${resume_advice}`, error.exit, error.fields)
        : error
    })
    if (reply.status === 200) {
      const made = reply.body as { id: string; data: readonly ({ id?: string; task?: string } & Outcome)[] }
      // A batch that an earlier version of this command began answers with the tasks themselves.
      const ids = rows === undefined ? [made.id] : made.data.map(({ id, task }) => task ?? (id as string))
      if (rows !== undefined && ids.length !== rows.length)
        throw new Failure(`The server answered ${ids.length} tasks for ${rows.length} rows.`, exit.unavailable)
      this.journal.end(ids)
      const outcomes = rows === undefined ? [] : made.data.map(({ outcome = 'created', key }) => ({ outcome, key }))
      return { ids, outcomes }
    }
    const code = envelopeOf(reply)?.code
    if (!over.has(reply.status) || code === undefined || code.startsWith('idempotency_'))
      throw failureOf(reply, ` ${resume_advice}`)
    this.journal.drop()
    return { refusal: reply }
  }
}
