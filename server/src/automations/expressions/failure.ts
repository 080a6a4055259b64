export type ExpressionFailureCode =
  /** The data does not fit: a missing field, null in place of a number, division by zero. */
  | 'evaluation_failed'
  /** The evaluation exceeds its cost limit. */
  | 'too_costly'
  /** A value exceeds its size limit. */
  | 'too_large'
  /** A number that JSON cannot represent exactly. */
  | 'not_exact'
  /** Not a JSON value. */
  | 'no_json'
  /** A value of a type that is not accepted here. */
  | 'wrong_type'

/** An expression that failed on this data. Faults of the source are found at validation instead. */
export class ExpressionFailure extends Error {
  readonly code: ExpressionFailureCode

  constructor(code: ExpressionFailureCode, message: string) {
    super(message)
    this.code = code
  }
}
