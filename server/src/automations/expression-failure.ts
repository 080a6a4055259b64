export type ExpressionFailureCode =
  /** The data did not fit: a field that is not there, null where a number is needed, division by zero. */
  | 'evaluation_failed'
  /** More work than an expression may do. */
  | 'too_costly'
  /** A value larger than it may get. */
  | 'too_large'
  /** A number that JSON cannot say exactly. */
  | 'not_exact'
  /** Not a value of JSON. */
  | 'no_json'
  /** A value of another type than this place takes. */
  | 'wrong_type'

/** An expression that gave no value this time: a fault of the data, where one of the source is found at validation. */
export class ExpressionFailure extends Error {
  readonly code: ExpressionFailureCode

  constructor(code: ExpressionFailureCode, message: string) {
    super(message)
    this.code = code
  }
}
