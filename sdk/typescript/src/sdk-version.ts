/** The version of this package, for `User-Agent`. */
export const sdk_version = '0.1.0'
