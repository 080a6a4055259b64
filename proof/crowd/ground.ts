/** Where a crowd is let loose: a server in a process of its own over a fresh SQLite database with some organizations. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuMicros, pin, server_core, watchOthers } from '../../bench/machine.ts'
import { Product } from '../../bench/product.ts'
import type { Seeded } from '../../bench/seed-product.ts'
import type { ServerProcess } from '../../bench/server-process.ts'
import { call } from '../../server/test/call.ts'

export interface Ground extends AsyncDisposable {
  readonly server: ServerProcess
  readonly file: string
  readonly organizations: readonly Seeded[]
  /** Makes a task in an organization, with a custom field that tells when. */
  send(organization: Seeded, fields: Readonly<Record<string, number>>, description?: string): Promise<void>
  /** Counts from now on the cores that others keep busy; `pids` are the crowd's own processes. */
  watch(pids: readonly (number | undefined)[]): () => number
}

export interface Wanted {
  readonly organizations: number
  /** Access tokens of each. */
  readonly tokens: number
  /** The server gets a core of its own, and this process the other: for figures. */
  readonly apart: boolean
  readonly environment?: Readonly<Record<string, string>>
}

export async function openGround({ organizations: count, tokens, apart, environment }: Wanted): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-crowd-'))
  const file = join(folder, 'atrium.db')
  const product = new Product(folder)
  const organizations: Seeded[] = []
  for (let i = 0; i < count; i++) organizations.push(await product.seed(`file:${file}`, { tasks: 0, tokens }))
  if (apart) pin('load')
  const core = apart ? { core: server_core } : {}
  const server = await product.start(`file:${file}`, { ...core, ...(environment === undefined ? {} : { environment }) })
  return {
    server,
    file,
    organizations,
    async send({ key, frame }, custom_fields, description = '') {
      const body = { workspace: frame.workspace, title: 'A task', description, custom_fields }
      const reply = await call(server.url, 'POST', '/v1/tasks', { key, body })
      if (reply.status !== 200) throw new Error(reply.text)
    },
    watch: (pids) => watchOthers(() => sum([server.cpuMicros(), ...pids.map((pid) => cpuMicros(pid ?? 0))])),
    async [Symbol.asyncDispose]() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
