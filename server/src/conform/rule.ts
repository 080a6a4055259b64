/** A rule of the contract that holds for many operations, and how it is tried on one. */
import type { Operation } from '../api/declare/operation.ts'
import type { Trial } from './trial.ts'

export interface Rule {
  /** As `--only` takes it. */
  readonly name: string
  /** What the contract promises, with the heading that states it. */
  readonly promise: string
  readonly applies: (operation: Operation) => boolean
  /** Tried after all operations, because it reads the logs that they have filled. */
  readonly isLast?: true
  /** Reports faults to the trial; throws `Skip` if it cannot be tried. */
  readonly check: (trial: Trial) => Promise<void>
}

export const isWrite = ({ kind }: Operation): boolean => kind === 'write'
export const isRead = ({ kind, streams }: Operation): boolean => kind !== 'write' && !streams
export const isList = ({ kind }: Operation): boolean => kind === 'list'
export const always = (): boolean => true
