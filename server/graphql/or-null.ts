import { PlatformError } from '../errors.ts';

/** For a query by id: what there is not is null, every other refusal an error. */
export async function orNull<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
