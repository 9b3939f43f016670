import { PlatformError } from '../errors.ts';

/** For a query by id: null if there is no such object; any other refusal is an error. */
export async function orNull<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
