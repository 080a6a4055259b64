/** A received mail as expressions see it (contract/16#received-mail). */

export interface FlowMail {
  /** The address in `From`, in lower case. It is what the sender claims; the mail server in front judges it. */
  readonly from: string
  /** The name beside the address; empty without one. */
  readonly name: string
  /** One line; `(no subject)` if the mail has none. */
  readonly subject: string
  /** The plain text, with quotes and signature; of a mail in HTML alone, its text. */
  readonly text: string
  /** The names of its attachments, which are not kept. */
  readonly attachments: readonly string[]
}

export const no_subject = '(no subject)'
