/**
 * Receives the browsers' Content-Security-Policy reports. A violation is a bug of the console or an attack. The endpoint
 * takes no credential, so reports are limited in size, counted, and logged at a limited rate.
 */

import { redactCredentials } from '../api/declare/credential-format.ts'
import type { Answer, Request } from '../api/declare/request.ts'
import type { Services } from '../api/services.ts'
import { console_limits } from './limits.ts'

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

  /** Counts a report and logs it while the minute's quota lasts. Never rejects. */
  async receive(request: Request): Promise<Answer> {
    const bytes = await request.body().catch(() => null)
    this.count++
    const minute = Math.floor(request.receivedAt / minute_ms)
    if (minute !== this.minute) {
      this.minute = minute
      this.logged = 0
    }
    const violation = bytes === null ? null : parseReport(bytes)
    if (violation !== null && this.logged < console_limits.csp_reports_logged_max) {
      this.logged++
      this.services.log.warn('a page broke its content policy', { ...violation, reports: this.count })
    }
    const headers = { 'Cache-Control': 'no-store', 'X-Request-Id': request.id }
    return { status: bytes === null ? 400 : 202, headers, body: null }
  }
}

/** Parses the first report, of the `report-uri` or the `report-to` format. Drops what follows `?` or `#`, and truncates. */
function parseReport(bytes: Buffer): { directive: string; blocked: string; page: string } | null {
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
