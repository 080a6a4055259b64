/** The generated part: the SDK follows the catalogue without handwritten steps. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import Type from 'typebox'
import type { EventType } from '../../../server/src/api/declare/event.ts'
import { noun } from '../../../server/src/api/declare/noun.ts'
import {
  listOperation,
  type Operation,
  readOperation,
  writeOperation,
} from '../../../server/src/api/declare/operation.ts'
import { catalogue } from '../../../server/src/catalogue.ts'
import { errorGuide } from '../../../server/src/derive/error-guide.ts'
import { allEventTypes } from '../../../server/src/derive/event-types.ts'
import type { RecordedExamples } from '../../../server/src/derive/examples.ts'
import { openApiDocument } from '../../../server/src/derive/openapi/document.ts'
import { callsOf } from '../../../server/src/derive/sdk/model/calls.ts'
import { asDocument } from '../../../server/src/derive/sdk/model/document.ts'
import { modelOf } from '../../../server/src/derive/sdk/model/model.ts'
import { sdk_folder, typescriptFiles } from '../../../server/src/derive/sdk/typescript/files.ts'
import { taskNoun } from '../../../server/src/resources/tasks/task.ts'

const folder = join(import.meta.dirname, '..')
const compiler = join(folder, '../../node_modules/.bin/tsc')
const examples: RecordedExamples = { operations: {}, events: {} } as never
let eventTypes: readonly EventType[]

function generate(operations: readonly Operation[]): Readonly<Record<string, string>> {
  return typescriptFiles(modelOf(documentOf(operations), errorGuide))
}

function documentOf(operations: readonly Operation[]) {
  return openApiDocument({ catalogue: operations, eventTypes, examples, promises: new Map() })
}

function file(files: Readonly<Record<string, string>>, name: string): string {
  return files[`${sdk_folder}/${name}`] as string
}

/** The compiler's messages about the SDK with these generated files and a script that uses it. */
function compile(files: Readonly<Record<string, string>>, script = ''): string {
  const copy = mkdtempSync(join(tmpdir(), 'atrium-sdk-'))
  try {
    for (const name of ['src', 'tsconfig.json', 'package.json'])
      cpSync(join(folder, name), join(copy, name), { recursive: true })
    for (const [path, text] of Object.entries(files))
      writeFileSync(join(copy, 'src/generated', path.slice(sdk_folder.length + 1)), text)
    writeFileSync(
      join(copy, 'src/script.ts'),
      `import { Atrium } from './index.ts'\nconst atrium = new Atrium({ apiKey: null })\n${script}`,
    )
    execFileSync(compiler, ['-p', copy, '--noEmit'], { encoding: 'utf8', stdio: 'pipe' })
    return ''
  } catch (error) {
    return String((error as { stdout: string }).stdout)
  } finally {
    rmSync(copy, { recursive: true })
  }
}

const paint = writeOperation({
  id: 'tasks.paint_over',
  method: 'POST',
  path: '/v1/tasks/{id}/paint_over',
  summary: 'Paint over a task',
  description: 'Until it is dry.',
  scope: 'tasks:write',
  credits: 10,
  target: taskNoun,
  body: {
    color: Type.Union([Type.Literal('red'), Type.Literal('blue')]),
    coats: Type.Optional(Type.Integer({ minimum: 1, maximum: 3 })),
  },
  returns: taskNoun.schema,
  emits: [],
  handle: ({ target }) => target,
})

describe('the generator of the SDK', () => {
  before(async () => {
    eventTypes = await allEventTypes()
  })

  it('generates exactly the files that are checked in', async () => {
    const recorded = JSON.parse(readFileSync(join(folder, '../../docs/openapi.json'), 'utf8'))
    for (const [path, text] of Object.entries(typescriptFiles(modelOf(recorded, errorGuide)))) {
      assert.equal(readFileSync(join(folder, '../..', path), 'utf8'), text, `${path}: run npm run generate`)
    }
  })

  it('adds a method with its types for a new operation, and changes nothing else', () => {
    const without = generate(catalogue)
    const files = generate([...catalogue, paint])
    const changed = Object.keys(files).filter((path) => files[path] !== without[path])
    assert.deepEqual(changed, [`${sdk_folder}/parameters.ts`, `${sdk_folder}/resources.ts`])
    assert.match(
      file(files, 'resources.ts'),
      /\* Paint over a task\.\n.*\n.* Until it is dry\.[\s\S]*paintOver\(id: string, params: TasksPaintOverParams, options\?: WriteOptions\): Call<Task> \{/,
    )
    assert.match(
      file(files, 'parameters.ts'),
      /export interface TasksPaintOverParams \{[^}]*readonly color: 'red' \| 'blue'\n\s*\/\*\* 1 to 3\. \*\/\n\s*readonly coats\?: number \| undefined\n\}/,
    )
    const right = "const key: string = (await atrium.tasks.paintOver('KEP-1', { color: 'red' })).key\nexport { key }"
    assert.equal(compile(files, right), '')
    assert.match(
      compile(files, "await atrium.tasks.paintOver('KEP-1', { color: 'green' })\nexport {}"),
      /"green"' is not assignable/,
    )
    assert.match(compile(without, right), /Property 'paintOver' does not exist/)
  })

  it('adds a class for a new resource, nested or not, and a list for a list', () => {
    const Blot = Type.Object({
      id: Type.String(),
      object: Type.Literal('blot'),
      size: Type.Union([Type.Number(), Type.Null()]),
    })
    const blot = noun({ object: 'blot', table: 'tasks', schema: Blot, show: (row: { id: string }) => row } as never)
    const shared = { scope: 'tasks:read', credits: 1, summary: 'Blots', handle: () => ({}) } as const
    const list = listOperation({
      ...shared,
      id: 'task_blots.list',
      method: 'GET',
      path: '/v1/tasks/{task_id}/blots',
      parent: taskNoun,
      lists: blot,
      paging: 'opaque',
    } as never)
    const get = readOperation({
      ...shared,
      id: 'ink_pots.retrieve',
      method: 'GET',
      path: '/v1/ink_pots/{id}',
      returns: Blot,
    } as never)
    const files = generate([...catalogue, list, get])
    const script = `
      for await (const { size } of atrium.tasks.blots.list('KEP-1', { cursor: 'x' })) console.log(size?.toFixed(1))
      const fixed: string | undefined = (await atrium.inkPots.retrieve('x')).size?.toFixed(1)
      export { fixed }`
    assert.equal(compile(files, script.replace('console.log(size?.toFixed(1))', 'void size?.toFixed(1)')), '')
  })

  it('changes the types of a renamed field, in requests and answers', () => {
    const blotting = (color: string, size: string) =>
      writeOperation({
        ...{ id: 'blots.create', method: 'POST', path: '/v1/blots', summary: 'Blot' },
        ...{ scope: 'tasks:write', credits: 10, emits: [], handle: () => ({}) },
        body: { [color]: Type.String() },
        returns: Type.Object({ object: Type.Literal('blot'), [size]: Type.Number() }),
      })
    const [before, after] = [
      generate([...catalogue, blotting('color', 'size')]),
      generate([...catalogue, blotting('colour', 'width')]),
    ]
    const changed = Object.keys(after).filter((path) => after[path] !== before[path])
    assert.deepEqual(changed, [`${sdk_folder}/parameters.ts`, `${sdk_folder}/objects.ts`])
    assert.match(file(after, 'parameters.ts'), /BlotsCreateParams \{\n {2}readonly colour: string\n\}/)
    assert.match(file(after, 'objects.ts'), /interface Blot \{\n {2}object: 'blot'\n {2}width: number\n\}/)
    const script = (color: string, size: string) =>
      `export const size = (await atrium.blots.create({ ${color}: 'red' })).${size}`
    assert.equal(compile(after, script('colour', 'width')), '')
    assert.match(compile(after, script('color', 'width')), /'color' does not exist/)
    assert.match(compile(after, script('colour', 'size')), /'size' does not exist/)
  })

  it('refuses two members with one name, and a resource without its parent', () => {
    const again = { ...paint, id: 'tasks.comments', path: '/v1/tasks/{id}/comments_' }
    assert.throws(() => generate([...catalogue, again]), /tasks would have two members called comments/)
    const few = catalogue.filter(({ id }) => id.startsWith('task_comments.'))
    assert.throws(() => generate(few), /task_comments belongs to tasks, which is not a resource/)
  })

  it('has a method for every operation', () => {
    const calls = callsOf(asDocument(documentOf(catalogue)))
    assert.deepEqual(calls.map(({ id }) => id).sort(), catalogue.map(({ id }) => id).sort())
  })
})
