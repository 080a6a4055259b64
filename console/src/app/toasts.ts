/** The part of the toasts that pages use. */
export { dismiss, toast, undoLast } from '../data/toasts.ts'
