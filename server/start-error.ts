/** A start failed for a reason that the person can mend; the message says how. */
export class StartError extends Error {}
