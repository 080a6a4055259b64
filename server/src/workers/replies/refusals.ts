/** What every received mail may be refused with. */
import type { SmtpRefusal } from '../../mail/receiver.ts'

export const automatic: SmtpRefusal = { code: 550, message: '5.7.1 Automatic mail is not accepted.' }
export const unreadable: SmtpRefusal = { code: 554, message: '5.6.0 The mail cannot be read.' }
