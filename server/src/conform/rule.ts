/** A rule of the contract that holds for many operations, and how it is tried on one. */
import type { Operation } from '../api/operation.ts'
import type { Trial } from './trial.ts'

export interface Rule {
  /** As `--only` takes it. */
  readonly name: string
  /** What is promised, and where. */
  readonly promise: string
  readonly applies: (operation: Operation) => boolean
  /** Tells the trial what is wrong; throws `Skip` where it cannot be tried. */
  readonly check: (trial: Trial) => Promise<void>
}

export const isWrite = ({ kind }: Operation): boolean => kind === 'write'
export const isRead = ({ kind, streams }: Operation): boolean => kind !== 'write' && !streams
export const isList = ({ kind }: Operation): boolean => kind === 'list'
export const always = (): boolean => true
