import type { Letter } from '../../notifications/mail-texts.ts'

/** The mail to a person whose second factor an owner has reset. */
export function factorResetLetter(organization: string, signInUrl: string): Letter {
  return {
    subject: 'Your second factor for Atrium was reset',
    text: [
      `An owner of ${organization} has reset the second factor of your account: the authenticator app, passkeys and recovery codes no longer work, and all sessions have ended.`,
      '',
      `Sign in and set up another one under Settings → Security: ${signInUrl}`,
      '',
      'If you did not ask for this, change your password, and ask an owner of the organization.',
    ].join('\n'),
  }
}
