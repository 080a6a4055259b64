/** The program that keeps the page's files and shows notices. */
import { scriptAddress } from '../lib/script-address.ts'

const service_worker = '/service-worker.js'

/** The registration, once its program is active. */
export async function registerServiceWorker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register(scriptAddress('service-worker', service_worker))
  return await navigator.serviceWorker.ready
}
