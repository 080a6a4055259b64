/** The identity of a graph: a preview and an activation refer to exactly one (contract/16#graph). */
import { hash } from 'node:crypto'
import { canonicalJson } from '../lib/canonical-json.ts'

/** The SHA-256 of the graph's canonical JSON (RFC 8785) in hexadecimal. It includes positions on the canvas. */
export function graphHash(graph: unknown): string {
  return hash('sha256', canonicalJson(graph), 'hex')
}
