/**
 * Compares the output of a command with the block that shows it. `…` matches any text; a member `"…": "…"` matches all
 * further members of its object, a last item `"…"` all further items of its list.
 */
import assert from 'node:assert/strict'

const rest = '…'

/** Fails unless the output matches the block. */
export function assertShown(language: string, shown: string, output: string, about: string): void {
  if (language === 'json') assertJson(JSON.parse(shown), parsed(output, about), about)
  else if (language === 'http') assertHttp(shown, output, about)
  else assert.match(output.trim(), patternOf(shown.trim()), `${about} printed: ${output}`)
}

function parsed(output: string, about: string): unknown {
  try {
    return JSON.parse(output)
  } catch {
    return assert.fail(`${about} printed no JSON: ${output}`)
  }
}

/** Whether a text matches a pattern in which `…` matches any text. */
function patternOf(text: string): RegExp {
  const parts = text.split(rest).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]*?')}$`)
}

function assertJson(shown: unknown, actual: unknown, at: string): void {
  if (typeof shown === 'string' && shown.includes(rest)) {
    assert.match(typeof actual === 'string' ? actual : JSON.stringify(actual), patternOf(shown), at)
  } else if (Array.isArray(shown)) {
    assert.ok(Array.isArray(actual), `${at} is no list: ${JSON.stringify(actual)}`)
    const isOpen = shown.at(-1) === rest && actual.length !== shown.length
    const items = isOpen ? shown.slice(0, -1) : shown
    if (!isOpen) assert.equal(actual.length, shown.length, `${at} has ${actual.length} items`)
    for (const [i, item] of items.entries()) assertJson(item, actual[i], `${at}[${i}]`)
  } else if (typeof shown === 'object' && shown !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, `${at} is no object: ${JSON.stringify(actual)}`)
    const { [rest]: open, ...members } = shown as Record<string, unknown>
    const names = Object.keys(actual).filter((name) => open === undefined || name in members)
    assert.deepEqual(names.sort(), Object.keys(members).sort(), `${at} has other members: ${JSON.stringify(actual)}`)
    for (const [name, value] of Object.entries(members)) {
      assertJson(value, (actual as Record<string, unknown>)[name], `${at}.${name}`)
    }
  } else {
    assert.deepEqual(actual, shown, at)
  }
}

/** Compares the status line, the shown headers and the body, if one is shown. */
function assertHttp(shown: string, output: string, about: string): void {
  const [head = '', ...body] = shown.split('\n\n')
  const [printedHead = '', ...printedBody] = output.replaceAll('\r\n', '\n').split('\n\n')
  const [status = '', ...headers] = head.trim().split('\n')
  const [printedStatus, ...printedHeaders] = printedHead.split('\n')
  assert.equal(printedStatus, status, about)
  for (const header of headers) {
    const name = header.slice(0, header.indexOf(':') + 1).toLowerCase()
    const printed = printedHeaders.find((each) => each.toLowerCase().startsWith(name))
    assert.ok(printed !== undefined, `${about} has no ${name}\n${printedHead}`)
    assert.match(printed.slice(name.length).trim(), patternOf(header.slice(name.length).trim()), about)
  }
  const text = body.join('\n\n').trim()
  if (text !== '') assertJson(JSON.parse(text), parsed(printedBody.join('\n\n'), about), about)
}
