import { Secret, TOTP } from 'otpauth'

/** An authenticator app, as a phone has it. */
export class AuthenticatorApp {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** The code of a moment, in milliseconds. */
  code(now: number): string {
    return new TOTP({ secret: Secret.fromBase32(this.#secret) }).generate({ timestamp: now })
  }
}
