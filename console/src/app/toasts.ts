/** The part of the toasts that pages use. */
export { toast } from '../data/toasts.ts'
