/** Invisible. Tells password managers which account the password field next to it belongs to. */
export function UsernameHint({ email }: { readonly email: string }) {
  return (
    <input type="email" className="unseen" autoComplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
  )
}
