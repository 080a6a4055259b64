/**
 * The type of `steps.<id>.output` by node type. An output exists if the step succeeded. A skipped or failed step has
 * only a status, except that a failed call keeps the answer it received.
 */
import type { OutputName } from './expressions/types.ts'
import type { NodeType } from './schema.ts'
import type { SketchNode } from './sketch.ts'

type Config = Readonly<Record<string, unknown>>

const outputs: Readonly<Partial<Record<NodeType, OutputName | ((config: Config) => OutputName | null)>>> = {
  condition: 'condition',
  switch: 'switch',
  for_each: 'for_each',
  delay: 'wait',
  wait_until: 'wait',
  'approval.wait': 'approval',
  'task.update': 'changed_task',
  'task.move': 'changed_task',
  'task.complete': 'changed_task',
  'task.assign': 'changed_task',
  'task.label': 'changed_task',
  'task.comment': 'comment',
  'task.create': 'made_task',
  'task.create_from_template': 'made_task',
  'task.create_many': 'made_tasks',
  'task.update_many': 'changed_tasks',
  'task.update_parent': 'changed_task',
  'task.add_dependency': 'dependency',
  'timer.start': 'time_entry',
  'timer.stop': 'time_entry',
  'http.request': httpOutput,
  'chat.post': 'http_status',
  'mail.send': 'mail',
  'flow.call': 'call',
  'ai.step': aiOutput,
}

/** Without `output`, only the status of the answer is kept. */
function httpOutput({ output }: Config): OutputName | null {
  if (output === 'none') return null
  if (output === 'json') return 'http_json'
  return output === 'text' ? 'http_text' : 'http_status'
}

function aiOutput({ operation }: Config): OutputName {
  if (operation === 'classify') return 'ai_label'
  return operation === 'extract' ? 'ai_data' : 'ai_text'
}

/** The output type of a step; null if it has none. */
export function outputType({ type, config }: SketchNode): OutputName | null {
  const output = outputs[type] ?? null
  return typeof output === 'function' ? output(config) : output
}
