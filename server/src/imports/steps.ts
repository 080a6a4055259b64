/**
 * Writes through the API, one request at a time, each recorded in the journal before it is sent. A request with an
 * unknown outcome is repeated with its key while the server keeps the answer (24 hours, contract/03#window); after that
 * its effect is looked up.
 */
import { type Api, faultOf, type Reply } from './api.ts'
import { sha256 } from './digest.ts'
import type { Journal, Step } from './journal.ts'
import { import_limits } from './limits.ts'
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

/** Final refusals: nothing was created, and the step is not repeated. */
const over: ReadonlySet<number> = new Set([400, 404, 409, 410])

/** The import was stopped between two requests. */
export class Stopped extends Error {}

export class Steps {
  readonly journal: Journal
  private readonly api: Api
  private stopping = false

  constructor(api: Api, journal: Journal) {
    this.api = api
    this.journal = journal
  }

  /** Stops the import after the present request: the next one throws Stopped. */
  stop(): void {
    this.stopping = true
  }

  /** Determines the outcome of the request that an earlier run left open. */
  async settle(): Promise<void> {
    const step = this.journal.pending
    if (step === null) return
    if (Date.now() - step.at < import_limits.repeat_ms) {
      await this.send(step)
      return
    }
    const ids = await effectOf(this.api, step, this.journal)
    if (ids === null) await this.journal.drop()
    else await this.journal.end(ids)
  }

  async take(name: string, path: string, body: object, rows?: readonly string[]): Promise<Done> {
    if (this.stopping) throw new Stopped()
    const print = (await sha256([this.journal.identity.id, name, JSON.stringify(body)].join('\n'))).slice(0, 48)
    const step: Step = {
      name,
      at: Date.now(),
      path,
      body,
      idempotency_key: `import-${print}`,
      ...(rows === undefined ? {} : { rows }),
    }
    await this.journal.begin(step)
    return await this.send(step)
  }

  private async send({ path, body, idempotency_key, rows }: Step): Promise<Done> {
    const headers = { 'idempotency-key': idempotency_key }
    const reply = await this.api.send({ method: 'POST', path, headers, body: JSON.stringify(body) })
    if (reply.status === 200) {
      const made = reply.body as { id: string; data: readonly ({ id?: string; task?: string } & Outcome)[] }
      // A batch that an earlier version of this command began answers with the tasks themselves.
      const ids = rows === undefined ? [made.id] : made.data.map(({ id, task }) => task ?? (id as string))
      if (rows !== undefined && ids.length !== rows.length)
        throw new Error(`The server answered ${ids.length} tasks for ${rows.length} rows.`)
      await this.journal.end(ids)
      const outcomes = rows === undefined ? [] : made.data.map(({ outcome = 'created', key }) => ({ outcome, key }))
      return { ids, outcomes }
    }
    const code = faultOf(reply)?.code
    if (!over.has(reply.status) || code === undefined || code.startsWith('idempotency_')) throw this.api.failure(reply)
    await this.journal.drop()
    return { refusal: reply }
  }
}
