import { t } from '../../language/index.ts'

/** Browser and operating system, as far as the user agent names them. */
export function deviceOf(agent: string | null): string {
  if (agent === null) return t('Unknown browser')
  const browser =
    ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'].find((name) => agent.includes(`${name}/`)) ?? t('Another browser')
  const system = /iPhone|iPad|Android|Mac OS|Windows|CrOS|Linux/.exec(agent)?.[0]
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS': 'macOS', CrOS: 'ChromeOS' }
  const named = names[browser] ?? browser
  return system === undefined ? named : t('{named} on {system}', { named, system: names[system] ?? system })
}
