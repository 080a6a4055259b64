/** A value that cannot be used; the message follows the value's name. */
export class Unusable extends Error {}
