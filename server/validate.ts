import type { z } from 'zod';
import { PlatformError, type FieldError } from './errors.ts';

/**
 * Checks an input against its shape, in the REST door and in rules for several doors.
 * @throws VALIDATION_FAILED that names each wrong field
 */
export function validated<Shape extends z.ZodType>(shape: Shape, input: unknown): z.output<Shape> {
  const result = shape.safeParse(input);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, MOST_ERRORS);
  throw invalidFields(
    issues.map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message })),
  );
}

const MOST_ERRORS = 50;

/** VALIDATION_FAILED for the fields of an input that cannot be used; it names at most 50 of them. */
export function invalidFields(errors: readonly FieldError[]): PlatformError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new PlatformError(
    'VALIDATION_FAILED',
    first ? `${first.path ? `${first.path}: ` : ''}${first.message}${more}` : 'The input is not valid.',
    { errors: errors.slice(0, MOST_ERRORS) },
  );
}
