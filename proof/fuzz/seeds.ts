/** Computed seed inputs for parsers: signed cursors, graphs, signed webhooks. */
import { type CursorBinding, makeCursor, makeSortedCursor } from '../../server/src/api/request/cursor.ts'
import type { Sealer } from '../../server/src/lib/seal.ts'
import { signatureHeaders } from '../../server/src/resources/webhook_endpoints/signature.ts'
import { goodGraph } from '../../server/test/automations/good-graph.ts'

export const cursor_binding: CursorBinding = { operation: 'tasks.list', realm: 1, filters: { status: ['done'] } }

/** Cursors of this list, of the same with other filters, of another list, and of another realm. */
export function cursorSeeds(sealer: Sealer): string[] {
  const bindings: CursorBinding[] = [
    cursor_binding,
    { ...cursor_binding, filters: {} },
    { ...cursor_binding, operation: 'projects.list' },
    { ...cursor_binding, realm: 2 },
  ]
  const id = 'tsk_01KZ6AA6G06GCZYPMRTZ023KX4'
  return bindings.flatMap((binding) => [
    makeCursor(sealer, binding, [id, 1_785_844_800_000]),
    makeSortedCursor(sealer, binding, { id, values: ['A title that is long '.repeat(20), null] }),
  ])
}

const manual = {
  schema_version: 1,
  nodes: [
    { id: 'by_hand', type: 'trigger.manual', config: {} },
    { id: 'say', type: 'task.comment', config: { body: { $template: '{{ task.key }} was looked at' } } },
  ],
  edges: [{ source: 'by_hand', target: 'say' }],
}

/** A graph with every type of node, and a small one. */
export const graph_seeds: readonly string[] = [JSON.stringify(goodGraph()), JSON.stringify(manual)]

export const webhook_secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
export const webhook_time = 1_785_844_800
export const webhook_body = '{"id":"evt_1","type":"workflow.task.created"}'

/** Headers of a signed delivery: `Service-Signature` in one line, Standard Webhooks in three. */
export function signatureSeeds(): string[] {
  const signed = { id: 'evt_1', timestamp: webhook_time, body: webhook_body }
  const headers = signatureHeaders(signed, [webhook_secret, `whsec_${Buffer.alloc(32, 6).toString('base64')}`])
  const standard = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name] as string)
  return [headers['Service-Signature'] as string, standard.join('\n')]
}
