/** Addresses of own scripts, where the policy of the page demands a typed one. */

interface ScriptPolicies {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): string
  }
}

/** To be called once for each `name`, with the path of a script of the console. */
export function scriptAddress(name: string, path: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: ScriptPolicies }
  if (trustedTypes === undefined) return path
  return trustedTypes.createPolicy(name, { createScriptURL: (url) => url }).createScriptURL(path)
}
