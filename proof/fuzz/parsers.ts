/**
 * The parsers of untrusted input, each with seed inputs. A parser may return or throw its declared errors; anything else it
 * throws is rethrown.
 */
import { isDeepStrictEqual } from 'node:util'
import { verifyWebhook, WebhookVerificationError } from '../../sdk/typescript/src/index.ts'
import { Refusal } from '../../server/src/api/declare/errors.ts'
import { limits } from '../../server/src/api/limits.ts'
import { readCursor, readSortedCursor } from '../../server/src/api/request/cursor.ts'
import { parseIdempotencyKey, parseIfMatch, parseIfNoneMatch } from '../../server/src/api/request/http-tags.ts'
import { requireFields } from '../../server/src/api/request/select-fields.ts'
import { checkBody, readParameters, readQuery } from '../../server/src/api/request/validate.ts'
import { cronFault, isTimeZone } from '../../server/src/automations/cron.ts'
import { ExpressionFailure } from '../../server/src/automations/expressions/failure.ts'
import { namesWith } from '../../server/src/automations/expressions/types.ts'
import { compileExpression } from '../../server/src/automations/expressions.ts'
import { checkPattern, patternOf } from '../../server/src/automations/pattern.ts'
import { splitTemplate } from '../../server/src/automations/templates.ts'
import { validateGraph } from '../../server/src/automations/validate.ts'
import { catalogue } from '../../server/src/catalogue.ts'
import { Sealer } from '../../server/src/lib/seal.ts'
import { parseStrictJson } from '../../server/src/lib/strict-json.ts'
import { parseSort, sortText } from '../../server/src/resources/tasks/list/sort.ts'
import { readFilter } from '../../server/src/resources/tasks/shared/filter.ts'
import { known } from '../../server/test/automations/known.ts'
import {
  cursor_binding,
  cursorSeeds,
  graph_seeds,
  signatureSeeds,
  webhook_body,
  webhook_secret,
  webhook_time,
} from './seeds.ts'

export interface Parser {
  readonly name: string
  readonly seeds: readonly string[]
  /** Tokens with a meaning to the parser. */
  readonly words: readonly string[]
  /** Parses an input. Throws or rejects with undeclared errors only. */
  readonly read: (text: string) => unknown
}

/** Swallows the declared error. */
function declared(kind: new (...given: never[]) => Error, read: (text: string) => unknown): Parser['read'] {
  return (text) => {
    try {
      return read(text)
    } catch (error) {
      if (!(error instanceof kind)) throw error
      return error
    }
  }
}

function operation(id: string) {
  const found = catalogue.find((each) => each.id === id)
  if (found === undefined) throw new Error(`unknown operation ${id}`)
  return found
}

const sealer = new Sealer(Buffer.alloc(32, 7))
const lists = operation('tasks.list')
const batch = operation('tasks.batch')
const environment = namesWith({ hook: 'http_json', decide: 'condition', quiet: null })
const variables = {
  task: {
    id: 'tsk_1',
    title: 'Brücke',
    description: 'a'.repeat(2000),
    labels: ['a', 'b'],
    due_at: null,
    custom_fields: { n: 3 },
  },
  event: { type: 'workflow.task.updated', data: { object: { status: 'todo' }, previous_attributes: null } },
  item: Array.from({ length: 200 }, (_, i) => `item ${i}`),
  index: 2,
  now: 1_700_000_000,
  steps: { hook: { status: 'succeeded', output: { status: 200, body: { rows: [1, 2, { a: null }] } } } },
}
const query_words =
  'fields=·expand=·limit=·sort=·filter=·status[]=·&·%00·%·+·,·id·title·project.portfolio·assignee·='.split('·')
const filter_words =
  ' AND · OR ·NOT ·-·(·)·"·\\·!=·<=·>=·:·*·null·status·due_at·custom_fields.·labels·1785844800·urgent·1e3·.'.split('·')
const expression_words =
  'task.·event.·item·steps.hook.output·.map(x, ·.exists(x, ·.filter(x, ·size(·rematch(task.title, "·"·\'·"""·has(·dyn(·timestamp(·duration(·?·:·&&·||·!·[·]·{·}·0u·1.5e3·in·==·b"·r"·\\u·.split(·.lowerAscii()'.split(
    '·',
  )

export const parsers: readonly Parser[] = [
  {
    name: 'filter',
    seeds: [
      'status=done AND (priority:urgent OR NOT labels:a)',
      'custom_fields.points>=3 due_at<1785844800',
      '"a b" -title:x',
      'status = (todo OR done)',
    ],
    words: filter_words,
    read: (text) => readFilter(text, 0),
  },
  { name: 'sort', seeds: ['due_at,-title'], words: [',', '-', 'created', 'priority', ' '], read: readSort },
  {
    name: 'fields',
    seeds: ['fields=id,title&limit=5', 'expand=project.portfolio,assignee', 'status[]=done&status=todo&filter=a'],
    words: query_words,
    read: declared(Refusal, readList),
  },
  {
    name: 'cursor',
    seeds: cursorSeeds(sealer),
    words: ['cur_', 'A', '-', '_', '='],
    read: declared(Refusal, readCursors),
  },
  {
    name: 'json',
    seeds: ['{"a":[1,-0.5e3,"\\u00e9\\ud83d\\ude00",null,true,{}]}', '[[[[]]]]', '{"a":1,"a":2}'],
    words: '{·}·[·]·,·:·"·\\u·\\ud800·__proto__·1e309·9007199254740993·\u0000·\ufeff· '.split('·'),
    read: readJson,
  },
  {
    name: 'body',
    seeds: [
      JSON.stringify({ workspace: 'w', data: [{ title: 'x', labels: ['a'], custom_fields: { a: [1] } }] }),
      '{"workspace":1,"data":{}}',
    ],
    words: ['"title":', 'null', '[]', '{}', '"data":', '"custom_fields":'],
    read: declared(Refusal, readTasks),
  },
  {
    name: 'graph',
    seeds: graph_seeds,
    words:
      '"type":·"config":·{"$expr":"·{"$template":"{{·}}"}·"edges":·trigger.schedule·for_each·switch·"source":·[·]·null'.split(
        '·',
      ),
    read: readGraph,
  },
  {
    name: 'expression',
    seeds: [
      'task.labels.exists(l, l.startsWith("a")) && now > 3',
      'steps.hook.output.body.rows.map(r, r)',
      'item.filter(x, rematch(x, "^item [0-9]+$"))',
      'has(task.custom_fields.n) ? task.custom_fields.n + 1 : 0',
    ],
    words: expression_words,
    read: readExpression,
  },
  {
    name: 'template',
    seeds: ["{{ task.key }} and {{ '{{' }}", '{{ {"a": 1} }}'],
    words: ['{{', '}}', '"', "'", '"""', '{', '}'],
    read: splitTemplate,
  },
  {
    name: 'pattern',
    seeds: ['^(a|b)+[^c-z]{2,5}$', '(?:x*)\\d'],
    words: ['(', ')', '[', ']', '*', '+', '?', '{1,', '}', '\\', '|', '^', '$', '(?:', '.'],
    read: readPattern,
  },
  {
    name: 'schedule',
    seeds: ['*/5 9-17 * * MON\nEurope/Berlin', '0 0 29 2 *\nUTC', '0 12 L * 5#2\nAsia/Tokyo'],
    words: ['*', '/', '-', ',', ' ', 'L', 'W', '#', '?', 'JAN', 'SUN', '@daily', '\n'],
    read: readSchedule,
  },
  { name: 'tags', seeds: ['"1-abc", W/"2", 3', '*'], words: ['"', 'W/', ',', '*', '-', ' ', '\\'], read: readTags },
  { name: 'signature', seeds: signatureSeeds(), words: ['t=', 'v1=', 'v1,', ',', '=', ' ', '\n'], read: readSignature },
]

function readSort(text: string): unknown {
  const read = parseSort(text)
  if (read.ok && !isDeepStrictEqual(parseSort(sortText(read.keys)), read))
    throw new Error('its canonical text gives another order')
  return read
}

function readList(text: string): unknown {
  const values = readParameters(lists, readQuery(text))
  if (values.fields !== undefined && lists.lists !== null) requireFields(lists.lists, values.fields as string[])
  return values
}

function readCursors(text: string): unknown {
  return text.startsWith('cur_')
    ? readSortedCursor(sealer, cursor_binding, text, 'starting_after')
    : readCursor(sealer, cursor_binding, text)
}

function readJson(text: string): unknown {
  const read = parseStrictJson(text, { depth_max: limits.json_depth_max })
  if (read.ok && !isDeepStrictEqual(read.value, JSON.parse(text))) throw new Error('its value differs from JSON.parse')
  return read
}

/** The JSON value of an input. Inputs that are not JSON belong to the JSON parser. */
function jsonOf(text: string): unknown {
  const read = parseStrictJson(text, { depth_max: limits.json_depth_max })
  return read.ok ? read.value : undefined
}

function readTasks(text: string): unknown {
  const value = jsonOf(text)
  return value === undefined ? undefined : checkBody(batch, value)
}

function readGraph(text: string): unknown {
  const value = jsonOf(text)
  return value === undefined ? undefined : validateGraph(value, known)
}

function readExpression(text: string): unknown {
  const compiled = compileExpression(text, environment)
  if (!compiled.ok) return compiled
  try {
    return compiled.expression.evaluate(variables)
  } catch (error) {
    if (error instanceof ExpressionFailure) return error
    throw error
  }
}

function readPattern(text: string): unknown {
  const fault = checkPattern(text)
  return fault === undefined ? patternOf(text) : fault
}

function readSchedule(text: string): unknown {
  const [cron = '', timezone = ''] = text.split('\n')
  return isTimeZone(timezone) ? cronFault({ cron, timezone }, known.now_ms) : undefined
}

function readTags(text: string): unknown {
  return [parseIfNoneMatch(text), parseIfMatch(text), parseIdempotencyKey([text])]
}

async function readSignature(text: string): Promise<unknown> {
  const [first = '', timestamp, signature] = text.split('\n')
  const standard = { 'webhook-id': first, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  const options = { now: webhook_time }
  try {
    return await verifyWebhook(webhook_body, timestamp === undefined ? first : standard, webhook_secret, options)
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error
    throw error
  }
}
