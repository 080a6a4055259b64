import assert from 'node:assert/strict'
import test from 'node:test'
import { isCurrency } from './currencies.ts'

test('active codes are currencies, also the latest ones', () => {
  for (const code of [
    'EUR',
    'USD',
    'GBP',
    'CHF',
    'JPY',
    'KWD',
    'XCG',
    'ZWG',
    'SLE',
    'VED',
    'XAD',
    'XAU',
    'CLF',
    'XDR',
  ]) {
    assert.ok(isCurrency(code), code)
  }
})

test('withdrawn codes, the test code and the code for no currency are not currencies', () => {
  for (const code of ['BGN', 'HRK', 'ANG', 'CUC', 'ZWL', 'SLL', 'DEM', 'XTS', 'XXX']) assert.ok(!isCurrency(code), code)
})

test('only three capitals are a code', () => {
  for (const code of ['', 'eur', 'Eur', ' EUR', 'EUR ', 'EURO', 'AAA', 'constructor', '\n'])
    assert.ok(!isCurrency(code), code)
  let count = 0
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  for (const a of letters) for (const b of letters) for (const c of letters) if (isCurrency(a + b + c)) count++
  assert.equal(count, 176)
})
