/** Thrown by a job that would fail in the same way at each further attempt: it has failed for good after this one. */
export class JobRefused extends Error {
  override readonly name = 'JobRefused';
}
