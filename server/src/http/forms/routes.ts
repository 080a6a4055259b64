/**
 * `/forms/{secret}`: the public pages of forms that start automations (contract/16#forms). Submissions are counted per sender and
 * per form before their content is read, apart from the organization's credits. Neither answers nor logs contain the secret of
 * an address.
 */
import { hash } from 'node:crypto'
import { receivedDay, receivedWindow } from '../../api/credits/credit-limits.ts'
import type { Caller, Mode } from '../../api/declare/caller.ts'
import { Refusal, refuse } from '../../api/declare/errors.ts'
import type { Answer } from '../../api/declare/request.ts'
import { newest_version } from '../../api/declare/version.ts'
import { answerSender } from '../../api/pipeline.ts'
import { readUserAgent, truncateAddress } from '../../api/request-log/log-request.ts'
import type { Services } from '../../api/services.ts'
import { automation_limits } from '../../automations/limits.ts'
import { addressOf } from '../../console/origins.ts'
import { StoreUnavailable } from '../../db/store.ts'
import { issuePageKey, readPageKey } from '../../resources/automation_runs/forms/page-key.ts'
import { findPublicForm, type OpenForm, submit, wasAccepted } from '../../resources/automation_runs/forms/submit.ts'
import { readAnswers } from '../../resources/automation_runs/shared/form-answers.ts'
import type { Handler, IncomingRequest } from '../exchange.ts'
import type { Router } from '../router.ts'
import { formPage, inputs, notePage, page_headers, thanksPage } from './page.ts'
import { type Language, languageOf, texts } from './texts.ts'

const form_path = '/forms/{secret}'
/** The query of the page after sending. */
const sent_query = 'sent'

export function addForms(router: Router<Handler>, services: Services): void {
  router.add('GET', form_path, (request, { secret = '' }) => showForm(services, request, secret))
  router.add('POST', form_path, (request, { secret = '' }) => receiveForm(services, request, secret))
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    router.add(method, form_path, (request) => answerSender(services, shownWithoutSecret(request), refuseMethod))
  }
}

const refuseMethod = async (): Promise<Answer> => {
  throw refuse('resource_not_found', {
    message: 'This path only supports GET and POST.',
    headers: { Allow: 'GET, POST' },
  })
}

function html(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...page_headers, ...headers }, body }
}

const languageOfRequest = ({ headers }: IncomingRequest): Language => languageOf(headers['accept-language'])

async function showForm(services: Services, request: IncomingRequest, secret: string): Promise<Answer> {
  const language = languageOfRequest(request)
  try {
    const found = await findPublicForm(services.store.reader('system'), secret)
    if (found === null) return html(404, notePage(language, 'missing'))
    if (found === 'closed') return html(410, notePage(language, 'closed'))
    const { config } = found.trigger
    if (request.rawQuery === sent_query) return html(200, thanksPage(language, config))
    const page = issuePageKey(services.sealer, found.form.id, services.clock.now())
    return html(200, formPage({ language, config, page }))
  } catch (error) {
    if (error instanceof StoreUnavailable) return html(503, notePage(language, 'unavailable'), { 'Retry-After': '1' })
    throw error
  }
}

async function receiveForm(services: Services, request: IncomingRequest, secret: string): Promise<Answer> {
  return await answerSender(services, shownWithoutSecret(request), async (call) => {
    const language = languageOfRequest(request)
    try {
      const found = await findPublicForm(services.store.reader('system'), secret)
      if (found === null) return html(404, notePage(language, 'missing'))
      if (found === 'closed') return html(410, notePage(language, 'closed'))
      call.caller = senderOf(found)
      await countSubmission(services, found, request)
      return await answerSubmission(services, found, request, await readBody(request), language)
    } catch (error) {
      const page = noteOf(error)
      if (page === null) throw error
      const { status, note, retryAfter } = page
      return html(
        status,
        notePage(language, note),
        retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
      )
    }
  })
}

/** The page for a request that cannot be answered with the form; null if the failure is not one of these. */
function noteOf(error: unknown) {
  if (error instanceof StoreUnavailable) return { status: 503, note: 'unavailable', retryAfter: 1 } as const
  if (!(error instanceof Refusal)) return null
  const { status, options } = error
  if (status === 429) return { status, note: 'busy', retryAfter: options.retryAfter } as const
  if (status === 503) return { status, note: 'unavailable', retryAfter: options.retryAfter } as const
  return status === 400 ? ({ status, note: 'unreadable', retryAfter: undefined } as const) : null
}

async function countSubmission({ credits, settings }: Services, { form }: OpenForm, request: IncomingRequest) {
  const { organization, id } = form
  const now = request.receivedAt
  const sender = senderSubject(id, addressOf(request, settings))
  const {
    automation_form_sender_minute_max: sender_minute,
    automation_form_sender_day_max: sender_day,
    automation_form_minute_max: minute,
    automation_form_day_max: day,
  } = automation_limits
  await credits.countReceived(
    [
      receivedWindow(organization, sender, sender_minute, now),
      receivedDay(organization, sender, sender_day, now),
      receivedWindow(organization, id, minute, now),
      receivedDay(organization, id, day, now),
    ],
    now,
  )
}

/** A sender of one form. Addresses are not stored; of IPv6, a network counts as one sender. */
function senderSubject(form: string, address: string): string {
  const network = address.includes('.') ? address : truncateAddress(address)
  return `${form} ${hash('sha256', `${form} ${network}`, 'base64url').slice(0, 22)}`
}

/** The fields of the body by name; of a repeated name the last one. Refuses with 400 what is no form. */
async function readBody(request: IncomingRequest): Promise<ReadonlyMap<string, string>> {
  const [type = ''] = String(request.headers['content-type'] ?? '').split(';')
  const body = await request.body(automation_limits.automation_form_bytes_max)
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded' || 'content-encoding' in request.headers) {
    const message = 'Content-Type must be application/x-www-form-urlencoded, without compression.'
    throw refuse('invalid_request_body', { param: 'Content-Type', message })
  }
  return new Map(new URLSearchParams(body.toString('utf8')))
}

async function answerSubmission(
  services: Services,
  open: OpenForm,
  request: IncomingRequest,
  body: ReadonlyMap<string, string>,
  language: Language,
): Promise<Answer> {
  const { form, trigger } = open
  const { config } = trigger
  const now = services.clock.now()
  const words = texts[language]
  const sent = new Map(config.fields.map(({ key }) => [key, body.get(`${inputs.answer}${key}`) ?? '']))
  const again = (status: number, notice: string, more: object = {}) => {
    const page = issuePageKey(services.sealer, form.id, now)
    return html(status, formPage({ language, config, page, sent, notice, ...more }))
  }
  // Only programs fill in the field that people do not see. They get the answer of people, so they learn nothing.
  if ((body.get(inputs.trap) ?? '') !== '') return thanks()
  const page = readPageKey(services.sealer, form.id, body.get(inputs.page) ?? '', now)
  if (page === null) return again(422, words.again)
  if (page.isLate) {
    const isKnown = await wasAccepted(services.store.reader('system'), open, page.key)
    return isKnown ? thanks() : again(422, words.again)
  }
  const same = { page: body.get(inputs.page) ?? '' }
  if (now - page.loadedAt < automation_limits.automation_form_fill_ms) return again(422, words.again, same)
  const { answers, faults } = readAnswers(config.fields, sent)
  if (faults.size > 0) return again(422, words.check, { ...same, faults })
  const source = { ip: truncateAddress(request.ip), user_agent: readUserAgent(request) }
  try {
    const outcome = await submit(services, open, { key: page.key, answers }, source)
    return outcome === 'accepted' ? thanks() : again(503, words.full)
  } catch (error) {
    const isUncertain = error instanceof StoreUnavailable || (error instanceof Refusal && error.status === 503)
    if (isUncertain) return again(503, words.uncertain, same)
    throw error
  }
}

/** To the page that thanks: loading it again sends nothing. The address is relative, so it leads nowhere else. */
const thanks = (): Answer => ({ status: 303, headers: { ...page_headers, Location: `?${sent_query}` }, body: '' })

/** The request with the pattern in place of its path, and without a query. */
function shownWithoutSecret(request: IncomingRequest): IncomingRequest {
  return { ...request, path: form_path, rawQuery: '' }
}

/** For whom the request log holds the request. It has no rights. */
function senderOf({ form, flow }: OpenForm): Caller {
  const { organization, realm } = form
  return {
    organization,
    realm,
    credential: form.id,
    kind: 'api_key',
    mode: form.mode as Mode,
    plan: null,
    scopes: new Set(),
    owner: { type: 'automation', id: flow.id },
    apiVersion: newest_version,
    serviceUser: '',
    createdAt: form.created,
    expiresAt: null,
    guest: null,
    storeScope: { organization, realms: [realm] },
  }
}
