/** The WebAuthn responses that browsers send. */
import Type from 'typebox'
import { console_limits } from '../limits.ts'

const Bytes = Type.String({ minLength: 1, maxLength: console_limits.passkey_field_chars_max })
const Extensions = Type.Record(Type.String(), Type.Unknown(), { maxProperties: 20 })
const closed = { additionalProperties: false } as const

const head = {
  id: Type.String({ minLength: 1, maxLength: 2000 }),
  rawId: Type.String({ minLength: 1, maxLength: 2000 }),
  type: Type.Literal('public-key'),
  clientExtensionResults: Extensions,
  authenticatorAttachment: Type.Optional(Type.String({ maxLength: 100 })),
}

export const Registration = Type.Object(
  {
    ...head,
    response: Type.Object(
      {
        clientDataJSON: Bytes,
        attestationObject: Bytes,
        authenticatorData: Type.Optional(Bytes),
        publicKey: Type.Optional(Bytes),
        publicKeyAlgorithm: Type.Optional(Type.Integer()),
        transports: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 20 })),
      },
      closed,
    ),
  },
  closed,
)

export const Assertion = Type.Object(
  {
    ...head,
    response: Type.Object(
      {
        clientDataJSON: Bytes,
        authenticatorData: Bytes,
        signature: Bytes,
        userHandle: Type.Optional(Type.String({ maxLength: console_limits.passkey_field_chars_max })),
      },
      closed,
    ),
  },
  closed,
)
