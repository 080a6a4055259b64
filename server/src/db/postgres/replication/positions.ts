/**
 * Positions in PostgreSQL's write-ahead log. They count bytes since the cluster was made; a number is exact up to 9 PB. The log
 * lies in files of equal size, whose names begin with the timeline.
 */

/** `16/B374D848` as a number. */
export function readPosition(text: string): number {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? []
  if (high === undefined || low === undefined) throw new Error(`'${text}' is not a position in the log`)
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16)
}

const hex = (value: number, digits = 1) => value.toString(16).toUpperCase().padStart(digits, '0')

export const showPosition = (position: number) => `${hex(Math.floor(position / 2 ** 32))}/${hex(position % 2 ** 32)}`

/** The first position of the file that has a position. */
export const fileStart = (position: number, file_bytes: number) => position - (position % file_bytes)

export function fileName(timeline: number, position: number, file_bytes: number): string {
  const number = Math.floor(position / file_bytes)
  const perName = 2 ** 32 / file_bytes
  return hex(timeline, 8) + hex(Math.floor(number / perName), 8) + hex(number % perName, 8)
}
