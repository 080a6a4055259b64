/** The limits of the MCP server. */
export const mcp_limits = {
  /** Nesting of arrays and objects in a message: a body of the API inside the arguments of a call. */
  mcp_json_depth_max: 36,
  /** The client's name in logs. */
  mcp_client_chars_max: 150,
} as const
