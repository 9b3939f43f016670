/** A start failed for a reason that the operator can remove; the message says how. */
export class StartError extends Error {}
