/**
 * Uploads of files, with their progress. An upload survives a lost connection: it waits for the connection and starts again
 * with its idempotency key, so one file results, also if only the answer was lost.
 */
import { Atrium, type File as AtriumFile } from '@atrium/sdk'
import { t } from '../language/index.ts'
import { connectionLost, isLost, isNetworkFailure, onBack } from './connection.ts'
import { UserCanceled } from './errors.ts'
import { contentUrl } from './files.ts'
import { keys } from './keys.ts'
import { currentMode } from './mode.ts'
import { queryClient } from './query-client.ts'
import type { Mode } from './shapes.ts'
import { tokenForUpload } from './tokens.ts'

/** The longest pause in which no byte leaves, and the longest wait for the answer to the last byte. */
const stalled_ms_max = 60_000
const answer_ms_max = 600_000
/** Attempts in a row that fail although the server can be reached: the file can probably no longer be read. */
const failures_max = 3
/** The SDK's own timeout, which an upload that waits for the connection must not reach. */
const waiting_ms_max = 2_000_000_000
const name_chars_max = 255

export interface UploadOptions {
  /** By default the name of the file. */
  readonly name?: string
  /** Called with the sent part, from 0 to 1. It falls to 0 when the upload starts again. */
  readonly onProgress?: (part: number) => void
  /** Cancels the upload, which then rejects with UserCanceled. */
  readonly signal?: AbortSignal
}

/**
 * Uploads a file into a workspace (an id). Rejects with the API's error, with UserCanceled, or with an Error that says that
 * the file cannot be read.
 */
export async function uploadFile(workspace: string, file: Blob, options: UploadOptions = {}): Promise<AtriumFile> {
  const { signal, onProgress = () => {} } = options
  const mode = currentMode()
  const name = fileName(options.name ?? (file instanceof File ? file.name : ''), file.type)
  const atrium = new Atrium({
    apiKey: null,
    baseUrl: location.origin,
    maxRetries: 4,
    maxRetryAfter: 60,
    timeout: waiting_ms_max,
    fetch: (url, init) => send(mode, String(url), init ?? {}, onProgress),
  })
  try {
    const created = await atrium.files.create(
      { workspace, name, content: file },
      signal === undefined ? {} : { signal },
    )
    queryClient.setQueryData(keys.one(mode, 'file', created.id), created)
    // The event of the upload has no URLs and may replace this answer in the cache.
    contentUrl(created)
    return created
  } catch (error) {
    if (signal?.aborted) throw new UserCanceled(t('the upload was canceled'), { cause: error })
    throw error
  }
}

/** A name that the API accepts: without folders and control characters. Pasted images have none of their own. */
function fileName(name: string, type: string): string {
  const plain = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}/\\]/gu, '_')
    .trim()
  if (plain !== '' && !/^\.{1,2}$/.test(plain)) return shortened(plain)
  const ending = /^image\/(png|jpeg|gif|webp)$/.exec(type)?.[1]
  return ending === undefined ? 'file' : `image.${ending}`
}

function shortened(name: string): string {
  if (name.length <= name_chars_max) return name
  const ending = /\.[^.]{1,16}$/.exec(name)?.[0] ?? ''
  return name.slice(0, name_chars_max - ending.length).toWellFormed() + ending
}

/** `fetch` for one upload: with progress, and waiting while the server cannot be reached. */
async function send(mode: Mode, url: string, init: RequestInit, onProgress: (part: number) => void): Promise<Response> {
  const { signal } = init
  for (let failures = 0; ; ) {
    if (isLost()) await untilBack(signal)
    const token = await tokenForUpload(mode, null)
    let response: Response
    try {
      response = await attempt(url, init, token, onProgress)
    } catch (error) {
      if (signal?.aborted || !isNetworkFailure(error)) throw error
      // A failure of a connection that was lost is not one of the file.
      if (await isReachable()) failures += 1
      else failures = 0
      if (failures >= failures_max) throw new Error(t('The file cannot be read. Choose it again.'), { cause: error })
      continue
    }
    if (response.status !== 401) return response
    return await attempt(url, init, await tokenForUpload(mode, token), onProgress)
  }
}

/** Whether the server answers a request; starts the probes if it does not. */
async function isReachable(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(5000) })).ok
  } catch {
    connectionLost()
    return false
  }
}

/** `fetch` reports no progress of a body, so this is XMLHttpRequest. Rejects with TypeError after a network failure. */
function attempt(url: string, init: RequestInit, token: string, onProgress: (part: number) => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    let timer: ReturnType<typeof setTimeout>
    const abort = () => request.abort()
    const wait = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(abort, ms)
    }
    request.open(init.method ?? 'POST', url)
    for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value)
    request.setRequestHeader('authorization', `Bearer ${token}`)
    request.upload.onprogress = ({ loaded, total }) => {
      onProgress(total === 0 ? 1 : loaded / total)
      wait(loaded >= total ? answer_ms_max : stalled_ms_max)
    }
    request.upload.onload = () => wait(answer_ms_max)
    request.onload = () => resolve(responseOf(request))
    request.onerror = () => reject(new TypeError(t('the upload failed on the network')))
    request.onabort = () => reject(init.signal?.aborted ? init.signal.reason : new TypeError(t('no answer')))
    request.onloadend = () => {
      clearTimeout(timer)
      init.signal?.removeEventListener('abort', abort)
    }
    init.signal?.throwIfAborted()
    init.signal?.addEventListener('abort', abort)
    onProgress(0)
    wait(stalled_ms_max)
    request.send(init.body as Blob)
  })
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split(/\r\n/)) {
    const at = line.indexOf(':')
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim())
  }
  return new Response(request.responseText, { status: request.status, headers })
}

const waiting = new Set<() => void>()
onBack(() => {
  for (const wake of waiting) wake()
  waiting.clear()
})

function untilBack(signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = () => {
      signal?.removeEventListener('abort', end)
      waiting.delete(end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    waiting.add(end)
    signal?.addEventListener('abort', end)
  })
}
