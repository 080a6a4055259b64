/**
 * Codes of authenticator apps (TOTP, RFC 6238): SHA-1, six digits, periods of 30 s, which is what all apps can do. The library is
 * imported at the first use.
 */
import { console_limits } from '../limits.ts'

const period_seconds = 30
const secret_bytes = 20

export interface NewAuthenticator {
  /** In base 32. */
  readonly secret: string
  /** The address that apps read from a QR code. */
  readonly url: string
}

/** A random secret for an app that lists it as `Atrium` with this address. */
export async function newAuthenticator(email: string): Promise<NewAuthenticator> {
  const { Secret, TOTP } = await import('otpauth')
  const secret = new Secret({ size: secret_bytes })
  return { secret: secret.base32, url: new TOTP({ issuer: 'Atrium', label: email, secret }).toString() }
}

/** The number of the period, counted from 1970, of which `code` is; null if no period of about now has it. `now` is in milliseconds. */
export async function stepOfCode(secret: string, code: string, now: number): Promise<number | null> {
  const { Secret, TOTP } = await import('otpauth')
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: period_seconds })
  const window = console_limits.authenticator_periods_apart
  const apart = totp.validate({ token: code, timestamp: now, window })
  return apart === null ? null : Math.floor(now / 1000 / period_seconds) + apart
}
