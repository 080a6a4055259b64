/**
 * Reads the compose file as programs of containers do: values of the environment stand in place of `${…}`, and each setting of a
 * service becomes words for podman. A setting that is not known here is refused, so that the test that starts the services by
 * hand starts them as the file says.
 */
import { parse } from 'yaml'

export interface Service {
  readonly image: string
  readonly environment: Readonly<Record<string, string>>
  /** The other settings as options of `podman run`. */
  readonly options: readonly string[]
  /** Services that have to be healthy first. */
  readonly after: readonly string[]
  readonly ports: readonly string[]
}

type Settings = Readonly<Record<string, unknown>>

/** The services by name. Throws for a value that has to be given and is not. */
export function readCompose(text: string, given: Readonly<Record<string, string>>): ReadonlyMap<string, Service> {
  const file = parse(text) as { services: Readonly<Record<string, Settings>>; volumes: Settings }
  const interpolated = filled(file, given) as typeof file
  const services = Object.entries(interpolated.services)
  const named = Object.keys(interpolated.volumes)
  for (const [name, { volumes = [] }] of services)
    for (const volume of volumes as readonly string[])
      if (!named.includes(volume.split(':')[0] ?? '')) throw new Error(`${name} uses the undeclared volume ${volume}`)
  return new Map(services.map(([name, settings]) => [name, serviceOf(name, settings)]))
}

const variable = /\$\{(\w+)(?::([?-])([^}]*))?\}/g

function filled(value: unknown, given: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(variable, (_, name: string, mark: string | undefined, rest = '') => {
      const found = given[name]
      if (found !== undefined && found !== '') return found
      if (mark === '?') throw new Error(`${name} is required: ${rest}`)
      return mark === '-' ? rest : ''
    })
  }
  if (Array.isArray(value)) return value.map((each) => filled(each, given))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, given)]))
}

/** The options of a setting; null for a setting that podman does not take as an option. */
const options: Readonly<Record<string, ((value: never) => readonly string[]) | null>> = {
  image: null,
  environment: null,
  ports: null,
  depends_on: null,
  restart: null,
  healthcheck: null,
  stop_grace_period: (time: string) => ['--stop-timeout', time.replace(/s$/, '')],
  read_only: (is: boolean) => (is ? ['--read-only', '--read-only-tmpfs=false'] : []),
  tmpfs: (paths: readonly string[]) => paths.flatMap((path) => ['--tmpfs', path]),
  cap_drop: (names: readonly string[]) => names.flatMap((name) => ['--cap-drop', name]),
  security_opt: (values: readonly string[]) => values.flatMap((value) => ['--security-opt', value]),
  volumes: (values: readonly string[]) => values.flatMap((value) => ['--volume', value]),
}

function serviceOf(name: string, settings: Settings): Service {
  const unknown = Object.keys(settings).filter((key) => !Object.hasOwn(options, key))
  if (unknown.length > 0) throw new Error(`${name} has settings that are not tried: ${unknown.join(', ')}`)
  return {
    image: String(settings.image),
    environment: (settings.environment ?? {}) as Readonly<Record<string, string>>,
    options: Object.entries(settings).flatMap(([key, value]) => options[key]?.(value as never) ?? []),
    after: Object.keys((settings.depends_on ?? {}) as Settings),
    ports: (settings.ports ?? []) as readonly string[],
  }
}
