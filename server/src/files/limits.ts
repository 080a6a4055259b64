/** The limits of the content of files. Those that an operator may change are defaults here and are read from `config.ts`. */
import { day_ms, GiB, KiB, MiB, minute_ms, second_ms } from '../lib/units.ts'

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

  // Previews

  /** A larger image has no preview. 40 million pixels take 160 MB while they are decoded. */
  preview_bytes_max: 32 * MiB,
  preview_pixels_max: 40_000_000,
  /** The longer side of a preview, and its quality of 100. */
  preview_side_pixels: 512,
  preview_quality: 80,
  /** A preview takes 0.1 to 1 s on an idle core. */
  preview_ms: 20 * second_ms,

  // A bucket

  /** A larger file is sent in parts of this size. A service accepts from 5 MiB, and 10,000 parts. */
  bucket_part_bytes: 8 * MiB,
  bucket_parts_max: 10_000,
  /** Files that are sent at the same time; each has one part in memory. */
  bucket_uploads_max: 4,
  bucket_sockets_max: 64,
  /** Attempts of one request, with growing waits between them. */
  bucket_attempts_max: 4,
  bucket_connect_ms: 5 * second_ms,
  /** From the end of a request to its answer. */
  bucket_answer_ms: minute_ms,
  /** A connection on which nothing moves. */
  bucket_idle_ms: 30 * second_ms,
} as const
