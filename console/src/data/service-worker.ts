/** The program that keeps the page's files and shows notices. */

const service_worker = '/service-worker.js'

/** The registration, once its program is active. */
export async function registerServiceWorker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register(scriptUrl(service_worker))
  return await navigator.serviceWorker.ready
}

interface ScriptPolicies {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): string
  }
}

/** The policy of the page demands a typed address where browsers know the type. */
function scriptUrl(path: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: ScriptPolicies }
  if (trustedTypes === undefined) return path
  return trustedTypes.createPolicy('service-worker', { createScriptURL: (url) => url }).createScriptURL(path)
}
