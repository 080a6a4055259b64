/** What a graph is recognized by: previews and activations speak of exactly one (decisions §16). */
import { hash } from 'node:crypto'
import { canonicalJson } from '../lib/canonical-json.ts'

/** The SHA-256 of the graph's canonical JSON (RFC 8785), in hexadecimal. Places on the canvas count too. */
export function graphHash(graph: unknown): string {
  return hash('sha256', canonicalJson(graph), 'hex')
}
