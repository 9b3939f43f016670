import type { z } from 'zod';
import { PlatformError, type FieldError } from './errors.ts';

/**
 * Checks an input against its shape, in the REST door and in rules for several doors.
 * @throws VALIDATION_FAILED that names each wrong field
 */
export function validated<Shape extends z.ZodType>(shape: Shape, input: unknown): z.output<Shape> {
  const result = shape.safeParse(input);
  if (result.success) return result.data;
  const errors = fieldErrors(result.error.issues);
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  throw new PlatformError(
    'VALIDATION_FAILED',
    first ? `${first.path ? `${first.path}: ` : ''}${first.message}${more}` : 'The input is not valid.',
    { errors },
  );
}

const fieldErrors = (issues: readonly z.core.$ZodIssue[]): FieldError[] =>
  issues.slice(0, 50).map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message }));
