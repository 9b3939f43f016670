import { PlatformError } from '../errors.ts';

/** The result of a query by id: null if the rule throws NOT_FOUND. @throws every other error of the rule */
export async function orNull<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
