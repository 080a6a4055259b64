import { inWords } from '../../design/index.ts'

interface Attempt {
  readonly http_status: number | null
  readonly error_category: string | null
}

/** The outcome of a delivery attempt: `204`, or "Connection refused". */
export function outcomeText({ http_status, error_category }: Attempt): string {
  return http_status === null ? inWords(error_category ?? 'unknown') : String(http_status)
}
