import assert from 'node:assert/strict'
import test from 'node:test'
import { limits } from './limits.ts'

test('every limit is a positive number', () => {
  for (const [name, value] of Object.entries(limits)) {
    assert.ok(Number.isFinite(value) && value > 0, name)
  }
})

test('the limits that the contract names are as it says', () => {
  assert.equal(limits.page_limit_max, 100)
  assert.equal(limits.idempotency_window_ms, 86_400_000)
  assert.equal(limits.secret_overlap_ms, 86_400_000)
  assert.equal(limits.request_log_retention_ms, 604_800_000)
  assert.equal(limits.export_url_ms, 3_600_000)
  assert.equal(limits.task_count_cache_ms, 60_000)
  assert.equal(limits.safe_integer_max, 9_007_199_254_740_991)
})
