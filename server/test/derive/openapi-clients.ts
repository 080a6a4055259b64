/**
 * Generates code from `docs/openapi.json` with openapi-typescript (types) and Hey API (a client). Both must generate without a
 * message, and an integrator's program that uses the result must compile in the strictest mode.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypes, { astToString } from 'openapi-typescript'

const tsc = join(import.meta.dirname, '../../../node_modules/.bin/tsc')

const compilerOptions = {
  ...{ noEmit: true, strict: true, noUncheckedIndexedAccess: true, erasableSyntaxOnly: true, isolatedModules: true },
  ...{ verbatimModuleSyntax: true, allowImportingTsExtensions: true, noUnusedLocals: true, noImplicitReturns: true },
  ...{ module: 'nodenext', target: 'esnext', lib: ['esnext', 'dom', 'dom.iterable'], types: [] },
}

/** Uses an operation, an object, a list and an error. */
const programOfTypes = `import type { components, operations } from './types.js'
type Task = components['schemas']['Task']
type Created = operations['tasks.create']['responses'][200]['content']['application/json']
export const same = (task: Created): Task => task
export const title: (task: Task) => string = (task) => task.title
export const code: (error: components['schemas']['Error']) => string = ({ error }) => error.code
export const page = (list: components['schemas']['TaskList']): Task[] => list.data
`

/** Writes, reads a list, and branches on an error, with names and types of the client only. */
const programOfClient = `import { createClient } from './client/index.ts'
import { tasksCreate, tasksList } from './sdk.gen.ts'
import type { Task } from './types.gen.ts'
const client = createClient({ baseUrl: 'http://127.0.0.1:4010', auth: 'atr_test_x' })
export async function add(workspace: string, title: string): Promise<Task | null> {
  const headers = { 'Idempotency-Key': title }
  const { data, error } = await tasksCreate({ client, headers, body: { workspace, title, priority: 'high' } })
  if (error !== undefined && error.error.code === 'invalid_request_body') return null
  return data === undefined || data.object !== 'task' ? null : data
}
export async function walk(workspace: string): Promise<string[]> {
  const { data } = await tasksList({ client, query: { workspace, limit: 100, sort: '-updated' } })
  return data?.data.map(({ id }) => id ?? '') ?? []
}
`

/** Problems with the types of openapi-typescript. */
export async function typesOf(document: string): Promise<string[]> {
  return inFolder(async (folder) => {
    writeFileSync(join(folder, 'types.d.ts'), astToString(await openapiTypes(document)))
    return compileErrors(folder, programOfTypes)
  })
}

/** Problems with the client of Hey API. */
export async function clientOf(document: string): Promise<string[]> {
  return inFolder(async (folder) => {
    const messages = await capturedMessages(() =>
      createClient({
        input: JSON.parse(document),
        output: { path: folder, clean: false, module: { extension: '.ts' } },
        plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
        logs: { level: 'warn', file: false },
      }),
    )
    const missing = missingOperations(document, readFileSync(join(folder, 'sdk.gen.ts'), 'utf8'))
    return [
      ...messages.map((line) => `openapi-ts printed: ${line}`),
      ...missing.map((id) => `openapi-ts generated no function for ${id}`),
      ...compileErrors(folder, programOfClient),
    ]
  })
}

async function inFolder(job: (folder: string) => Promise<string[]>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-client-'))
  try {
    return await job(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The warnings and errors that a job prints, without its progress. */
async function capturedMessages(job: () => Promise<unknown>): Promise<string[]> {
  const messages: string[] = []
  const { log, warn, error } = console
  console.log = () => {}
  console.warn = (...parts: unknown[]) => messages.push(parts.join(' '))
  console.error = console.warn
  try {
    await job()
  } finally {
    Object.assign(console, { log, warn, error })
  }
  return messages
}

/** Operations without a function: a generator may skip what it does not understand. */
function missingOperations(document: string, calls: string): string[] {
  const { paths } = JSON.parse(document) as { paths: Record<string, Record<string, { operationId: string }>> }
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  return ids.filter((id) => {
    const name = id.replaceAll(/[._](\w)/g, (_all, letter: string) => letter.toUpperCase())
    return !calls.includes(`export const ${name} = `)
  })
}

function compileErrors(folder: string, program: string): string[] {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'program.ts'), program)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
  return status === 0 ? [] : [...stdout.split('\n').filter((line) => line !== ''), `tsc ended with ${status}`]
}
