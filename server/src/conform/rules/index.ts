/** Every rule, in the order of the report. The error envelopes come last: all rules feed them. */
import type { Rule } from '../rule.ts'
import { answers, errors, headers, times } from './answers.ts'
import { etag, etagChanges, ifMatch } from './conditional.ts'
import { credential, credentialInUrl, foreign, scope } from './credentials.ts'
import { credits, dryRun, events, tombstone } from './effects.ts'
import { idempotencyKey, replay, reuse } from './idempotency.ts'
import {
  emptyPatch,
  malformed,
  method,
  unknownField,
  unknownParameter,
  version,
  wrongPath,
  wrongType,
} from './input.ts'
import { cursors, fields, paging } from './lists.ts'

export const rules: readonly Rule[] = [
  ...[credential, credentialInUrl, scope, method, version],
  ...[unknownParameter, unknownField, wrongType, malformed, wrongPath],
  ...[idempotencyKey, ifMatch, emptyPatch],
  ...[headers, answers, times, etag, etagChanges, credits, replay, reuse, events, dryRun, tombstone],
  ...[paging, cursors, fields, foreign, errors],
]
