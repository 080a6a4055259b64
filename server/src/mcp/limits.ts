/** The limits of the MCP server. */
import { MiB } from '../lib/units.ts'

export const mcp_limits = {
  /** A message over HTTP: the largest content of a file in base64, or a text of which many characters are escaped. */
  mcp_body_bytes_max: 2 * MiB,
  /** Nesting of arrays and objects in a message: a body of the API inside the arguments of a call. */
  mcp_json_depth_max: 36,
  /** The client's name in logs. */
  mcp_client_chars_max: 150,
} as const
