/** The limits of the content of files. Those that an operator may change are defaults here and are read from `config.ts`. */
import { day_ms, GiB, KiB, MiB } from '../lib/units.ts'

export const file_limits = {
  /** One file, by default and at most: the largest object that S3 accepts in one request. */
  file_bytes_default: 100 * MiB,
  file_bytes_max: 5 * GiB,
  /** All files of an organization's live data, and of its test data, by default. */
  organization_file_bytes_default: 100 * GiB,
  /** Bytes at the start of a file that tell its type and the size of an image. */
  file_head_bytes: 256 * KiB,
  /** Bytes that a download reads at a time. */
  file_read_bytes: 256 * KiB,
  /** Content without a file is removed after this time. */
  unreferenced_content_ms: day_ms,
} as const
