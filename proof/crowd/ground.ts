/** The server of a crowd: a separate process over a fresh SQLite database with some organizations. */
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
  /** Creates a task in an organization, with a custom field that holds the time. */
  send(organization: Seeded, fields: Readonly<Record<string, number>>, description?: string): Promise<void>
  /** Measures from now on the cores that other processes use; `pids` are the crowd's own. */
  watch(pids: readonly (number | undefined)[]): () => number
}

export interface Wanted {
  readonly organizations: number
  /** Access tokens per organization. */
  readonly tokens: number
  /** The server and this process get a core each, for comparable figures. */
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
