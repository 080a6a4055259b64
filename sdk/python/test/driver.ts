/** The Python SDK for tests: a process of `driver.py` that takes commands. Without Python its tests say so and try nothing. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { identifier } from '../../../server/src/derive/sdk/python/text.ts'
import { onOneEngine } from '../../../server/test/engines.ts'
import { whyNoPython } from '../interpreter.ts'

export const python_folder = join(import.meta.dirname, '..')

export type Flavor = 'sync' | 'async'

export const flavors: readonly Flavor[] = ['sync', 'async']

/** Compiled files go beside the temporary ones, not into the package. */
export const environment = {
  ...process.env,
  PYTHONPATH: python_folder,
  PYTHONPYCACHEPREFIX: join(tmpdir(), 'atrium-pycache'),
}

const reason = whyNoPython()

/** Why the tests cannot run here; `null` if they can. */
export const missing = reason === null ? null : `The Python SDK is not tried here: ${reason}.`

/** A suite for each flavor of the client; without Python one test that says that nothing was tried. */
export function onPython(title: string, suite: (flavor: Flavor) => void): void {
  if (missing !== null) it(`${title} is tried where python3 is installed`, (t) => t.diagnostic(missing as string))
  else for (const flavor of flavors) onOneEngine(`${title} (${flavor})`, () => suite(flavor))
}

/** An error of the SDK as the driver describes it. */
export interface Failure {
  readonly classes: readonly string[]
  readonly message: string
  readonly code?: string
  readonly status?: number
  readonly param?: string | null
  readonly reason?: string
  readonly excerpt?: string
  readonly request_id?: string
  readonly retry_after?: number | null
  readonly details?: readonly { readonly param: string }[]
}

class PythonError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(`${failure.classes[0]}: ${failure.message}`)
    this.failure = failure
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the driver answers with what the SDK returned
type Anything = any

export class Driver {
  readonly #child: ChildProcess
  readonly #open = new Map<number, PromiseWithResolvers<Anything>>()
  #sent = 0

  constructor() {
    this.#child = spawn('python3', [join(import.meta.dirname, 'driver.py')], {
      env: environment,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    createInterface(this.#child.stdout as NodeJS.ReadableStream).on('line', (line) => {
      const { id, ok, error } = JSON.parse(line)
      const open = this.#open.get(id)
      if (error === undefined) open?.resolve(ok)
      else open?.reject(new PythonError(error))
      this.#open.delete(id)
    })
    this.#child.once('close', () => {
      for (const open of this.#open.values()) open.reject(new Error('The driver of the Python SDK has ended.'))
    })
  }

  /** Runs a command; rejects with a `PythonError`. */
  async run(name: string, command: object = {}): Promise<Anything> {
    const outcome = Promise.withResolvers<Anything>()
    this.#sent += 1
    this.#open.set(this.#sent, outcome)
    ;(this.#child.stdin as NodeJS.WritableStream).write(`${JSON.stringify({ id: this.#sent, do: name, ...command })}\n`)
    return await outcome.promise
  }

  /** A client; `waits` keeps the waits of retries, which are otherwise a millisecond. */
  async client(flavor: Flavor, options: Readonly<Record<string, unknown>>): Promise<PythonClient> {
    const client = `client ${this.#sent}`
    await this.run('client', { client, flavor, options })
    return new PythonClient(this, client)
  }

  async end(): Promise<void> {
    const ended = once(this.#child, 'close')
    ;(this.#child.stdin as NodeJS.WritableStream).end()
    this.#child.kill()
    await ended
  }
}

export interface Answered {
  readonly kind: 'one' | 'list'
  readonly data: Anything
  readonly response: Anything
}

/** Operations are named as in the document: `tasks.comments.create`. */
export class PythonClient {
  readonly #driver: Driver
  readonly name: string

  constructor(driver: Driver, name: string) {
    this.#driver = driver
    this.name = name
  }

  run(command: string, more: object): Promise<Anything> {
    return this.#driver.run(command, { client: this.name, ...more })
  }

  call(operation: string, params: object = {}, ids: readonly unknown[] = []): Promise<Answered> {
    return this.run('call', { ...named(operation), ids, params })
  }

  async data(operation: string, params: object = {}, ids: readonly unknown[] = []): Promise<Anything> {
    return (await this.call(operation, params, ids)).data
  }

  walk(operation: string, params: object, more: object = {}): Promise<Anything> {
    return this.run('walk', { ...named(operation), params, ...more })
  }

  async stream(types: readonly string[], options: object = {}, more: object = {}): Promise<PythonStream> {
    const stream = `${this.name} ${Math.random()}`
    const given = { ...named('events.stream'), params: { types, ...options }, stream, ...more }
    return new PythonStream(this.#driver, stream, await this.run('stream', given))
  }
}

function named(operation: string): { readonly resource: string[]; readonly method: string } {
  const parts = operation.split('.').map(identifier)
  return { resource: parts.slice(0, -1), method: parts.at(-1) as string }
}

export class PythonStream {
  readonly #driver: Driver
  readonly #name: string
  lastEventId: string | null

  constructor(driver: Driver, name: string, lastEventId: string | null) {
    this.#driver = driver
    this.#name = name
    this.lastEventId = lastEventId
  }

  async take(count: number): Promise<Anything[]> {
    const { events, last_event_id } = await this.#driver.run('take', { stream: this.#name, count })
    this.lastEventId = last_event_id
    return events
  }

  close(): Promise<void> {
    return this.#driver.run('close', { stream: this.#name })
  }
}

/** Asserts that a command fails with an error of this class, and returns it. */
export async function failed(running: Promise<unknown>, kind: string): Promise<Failure> {
  try {
    await running
  } catch (error) {
    assert.ok(error instanceof PythonError, String(error))
    assert.ok(error.failure.classes.includes(kind), `${error.failure.classes[0]} instead of ${kind}: ${error.message}`)
    return error.failure
  }
  return assert.fail(`it did not fail with ${kind}`)
}
