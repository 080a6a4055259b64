/**
 * Replaces `react-style-singleton`, which inserts style elements while a dialog is open. The Content-Security-Policy blocks
 * them; base.css has their rules.
 */
export function styleSingleton(): () => null {
  return () => null
}
