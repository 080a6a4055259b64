/**
 * What each step leaves behind for `steps.<id>.output`, by its type. It is there when the step succeeded; a skipped or
 * failed step leaves only its status, but a failed http.request that was answered keeps the answer.
 */
import { comment_type, dependency_type, type ObjectType, task_type, time_entry_type } from './expression-types.ts'
import type { NodeType } from './schema.ts'
import type { SketchNode } from './sketch.ts'

type Output = ObjectType | ((config: Readonly<Record<string, unknown>>) => ObjectType | null) | null

const changed_task: ObjectType = { task: task_type, changed: 'bool' }
const made_task: ObjectType = { task: task_type }

const outputs: Readonly<Record<NodeType, Output>> = {
  'trigger.event': null,
  'trigger.schedule': null,
  'trigger.due': null,
  'trigger.manual': null,
  condition: { result: 'bool' },
  switch: { port: 'string' },
  for_each: { count: 'int', items: 'list<dyn>' },
  delay: { woke_at: 'int' },
  wait_until: { woke_at: 'int' },
  stop: null,
  'task.update': changed_task,
  'task.move': changed_task,
  'task.complete': changed_task,
  'task.assign': changed_task,
  'task.label': changed_task,
  'task.comment': { comment: comment_type },
  'task.create': made_task,
  'task.create_from_template': made_task,
  'task.add_dependency': { dependency: dependency_type },
  'timer.start': { time_entry: time_entry_type },
  'timer.stop': { time_entry: time_entry_type },
  'http.request': ({ output }) => httpOutput(output),
  'ai.step': ({ operation }) => aiOutput(operation),
}

function httpOutput(output: unknown): ObjectType | null {
  if (output === 'none') return null
  if (output === 'json') return { status: 'int', body: 'dyn' }
  return output === 'text' ? { status: 'int', body: 'string' } : { status: 'int' }
}

function aiOutput(operation: unknown): ObjectType {
  if (operation === 'classify') return { label: 'string' }
  return operation === 'extract' ? { data: 'dyn' } : { text: 'string' }
}

/** The type of a step's output, `null` when it leaves none. */
export function outputType(node: SketchNode): ObjectType | null {
  const output = outputs[node.type]
  return typeof output === 'function' ? output(node.config) : output
}
