/** The limits of the MCP server; part of `limits`. */

export const mcp_limits = {
  /** Arrays and objects inside each other in a message: a body of the API inside the arguments of a call. */
  mcp_json_depth_max: 36,
  /** Tries of `atrium mcp` after the first without an answer: an agent waits. */
  mcp_retries: 2,
  /** Its longest wait for a server that says when to come back; what takes longer is told to the agent. */
  mcp_wait_seconds_max: 2,
  /** What a client may call itself in logs. */
  mcp_client_chars_max: 150,
} as const
