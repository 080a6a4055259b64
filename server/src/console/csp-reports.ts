/**
 * What browsers report of the page's content policy: a rule that was broken is a fault of ours, or somebody's attempt.
 * Anybody can send such reports, so they are small, counted, and only some of them logged.
 */
import type { Answer, Request } from '../api/request.ts'
import type { Services } from '../api/services.ts'
import { redactCredentials } from '../lib/credential-format.ts'
import { limits } from '../lib/limits.ts'

const minute_ms = 60_000
const logged_chars_max = 200

export class ContentPolicyReports {
  private readonly services: Pick<Services, 'log'>
  private count = 0
  private minute = 0
  private logged = 0

  constructor(services: Pick<Services, 'log'>) {
    this.services = services
  }

  /** Takes a report. Never rejects. */
  async take(request: Request): Promise<Answer> {
    const bytes = await request.body().catch(() => null)
    this.count++
    const minute = Math.floor(request.receivedAt / minute_ms)
    if (minute !== this.minute) {
      this.minute = minute
      this.logged = 0
    }
    const broken = bytes === null ? null : brokenIn(bytes)
    if (broken !== null && this.logged < limits.csp_reports_logged_max) {
      this.logged++
      this.services.log.warn('a page broke its content policy', { ...broken, reports: this.count })
    }
    const headers = { 'Cache-Control': 'no-store', 'X-Request-Id': request.id }
    return { status: bytes === null ? 400 : 202, headers, body: null }
  }
}

/** The first report of either form that browsers send; of its texts the beginnings, without what follows a `?` or `#`. */
function brokenIn(bytes: Buffer): { directive: string; blocked: string; page: string } | null {
  try {
    const sent: unknown = JSON.parse(bytes.toString('utf8'))
    const first = (Array.isArray(sent) ? sent[0] : sent) as Record<string, unknown> | null
    const report = (first?.['csp-report'] ?? first?.body) as Record<string, unknown> | undefined
    if (typeof report !== 'object' || report === null) return null
    const text = (...names: string[]): string => {
      const value = names.map((name) => report[name]).find((each) => typeof each === 'string') ?? ''
      return redactCredentials(String(value).split(/[?#]/, 1)[0] ?? '').slice(0, logged_chars_max)
    }
    return {
      directive: text('effective-directive', 'violated-directive', 'effectiveDirective'),
      blocked: text('blocked-uri', 'blockedURL'),
      page: text('document-uri', 'documentURL'),
    }
  } catch {
    return null
  }
}
