/** What pages use of the toasts. */
export { dismiss, toast, undoLast } from '../data/toasts.ts'
