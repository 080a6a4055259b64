/** Every rule, in the order of the report. The last four judge the replies of all others. */
import type { Rule } from '../rule.ts'
import { answers, errors, headers, noEffect, times } from './answers.ts'
import { etag, etagChanges, ifMatch, noChange } from './conditional.ts'
import { credential, credentialInUrl, foreign, scope } from './credentials.ts'
import { audit, credits, dryRun, events, requestLog, tombstone } from './effects.ts'
import { idempotencyKey, replay, reuse } from './idempotency.ts'
import {
  bodyForm,
  malformed,
  method,
  missingField,
  repeatedParameter,
  unknownField,
  unknownParameter,
  version,
  wrongPath,
  wrongType,
} from './input.ts'
import { cursors, fields, paging } from './lists.ts'

export const rules: readonly Rule[] = [
  ...[credential, credentialInUrl, scope, method, version],
  ...[unknownParameter, repeatedParameter, unknownField, missingField, wrongType, malformed, bodyForm, wrongPath],
  ...[idempotencyKey, ifMatch, noChange],
  ...[answers, times, etag, etagChanges, credits, replay, reuse, events, audit, requestLog, dryRun, tombstone],
  ...[paging, cursors, fields, foreign],
  ...[headers, errors, noEffect],
]
