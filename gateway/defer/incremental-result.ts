import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { hasServerError } from '#server/graphql/graph-facts.ts';
import type { Delivery, Part, Pending } from './deferred-run.ts';

/**
 * The form of an answer in parts. `2022`: the draft of 24 August 2022, `deferSpec=20220824`. `v0.2`: that of graphql-js
 * 17.0.0-alpha.9, `incrementalSpec=v0.2`.
 */
export type IncrementalForm = '2022' | 'v0.2';

/** One message of an answer in parts, in either form. */
export interface IncrementalResult {
  readonly errors?: readonly GraphQLFormattedError[];
  readonly data?: Record<string, unknown> | null;
  readonly pending?: readonly object[];
  readonly incremental?: readonly object[];
  readonly completed?: readonly object[];
  readonly hasNext: boolean;
}

type FormatError = (error: GraphQLError) => GraphQLFormattedError;

/** @param formatError an error as the client may see it */
export function incrementalResult(
  { primary, pending, parts, hasNext }: Delivery,
  form: IncrementalForm,
  formatError: FormatError,
): IncrementalResult {
  const shown = parts.map((part): ShownPart => ({ ...part, errors: part.errors.map(formatError) }));
  return {
    ...(primary && { ...withErrors(primary.errors.map(formatError)), data: primary.data }),
    ...(form === 'v0.2' && pending.length > 0 && { pending: pending.map(pendingIn) }),
    ...(parts.length > 0 &&
      (form === '2022' ? { incremental: shown.map(partIn2022) } : completedParts(shown))),
    hasNext,
  };
}

/** Whether a message has an error that is a failure of the platform. */
export const failsIn = ({ errors = [], incremental = [], completed = [] }: IncrementalResult): boolean =>
  hasServerError(errors) ||
  [...incremental, ...completed].some((one) => 'errors' in one && hasServerError(one.errors as unknown[]));

type ShownPart = Omit<Part, 'errors'> & { readonly errors: readonly GraphQLFormattedError[] };

const withErrors = (errors: readonly GraphQLFormattedError[]) => (errors.length > 0 ? { errors } : {});

const labelled = ({ label }: Pending) => (label === undefined ? {} : { label });

const pendingIn = (pending: Pending) => ({ id: pending.id, path: pending.path, ...labelled(pending) });

const partIn2022 = ({ pending, data, errors }: ShownPart) => ({
  ...withErrors(errors),
  data,
  path: pending.path,
  ...labelled(pending),
});

/** A part that became null is completed with its errors, and has no data. */
function completedParts(parts: readonly ShownPart[]) {
  const incremental = parts.flatMap(({ pending: { id }, data, errors }) =>
    data ? [{ ...withErrors(errors), id, data }] : [],
  );
  return {
    ...(incremental.length > 0 && { incremental }),
    completed: parts.map(({ pending: { id }, data, errors }) => ({ id, ...(!data && withErrors(errors)) })),
  };
}
