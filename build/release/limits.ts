/** Bounds of the released package. */
export const release_limits = {
  /**
   * Bytes of all its files. Node is 111 MiB of them, and the codecs of image previews are 17 MiB.
   * The rest has its own bound.
   */
  unpacked_bytes_max: 160 * 2 ** 20,
  /** Bytes of everything that is neither Node nor native: server, console, documents, SDK. */
  portable_bytes_max: 28 * 2 ** 20,
  /** Bytes of the container's image: the package and 33 MiB of Debian. */
  image_bytes_max: 200 * 2 ** 20,
} as const
