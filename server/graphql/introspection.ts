import type { ApolloServerPlugin } from '@apollo/server';
import { BREAK, visit, type DocumentNode } from 'graphql';
import { isAdmin, type Viewer } from '../auth/viewer.ts';
import { PlatformError } from '../errors.ts';
import { graphqlErrorOf } from './errors.ts';

/** Which callers may read the schema by introspection. */
export type Introspection = 'on' | 'admins' | 'off';

/** `_service { sdl }` returns the whole schema, too (Apollo Federation subgraph specification). */
const SCHEMA_FIELDS: ReadonlySet<string> = new Set(['__schema', '__type', '_service']);

const known = new WeakMap<DocumentNode, boolean>();

/** Whether any operation of the document reads the schema; computed once per document. */
export function asksForSchema(document: DocumentNode): boolean {
  let asks = known.get(document);
  if (asks !== undefined) return asks;
  asks = false;
  visit(document, {
    Field(field) {
      asks ||= SCHEMA_FIELDS.has(field.name.value);
      return asks ? BREAK : undefined;
    },
  });
  known.set(document, asks);
  return asks;
}

/** Whether the viewer may read the schema. The platform's services, and its gateway, always may. */
export const mayIntrospect = (viewer: Viewer, allowed: Introspection): boolean =>
  allowed === 'on' || viewer.kind === 'service' || (allowed === 'admins' && isAdmin(viewer));

/** @throws FORBIDDEN as a GraphQLError, whose `extensions` contain the HTTP status */
export function checkIntrospection(document: DocumentNode, viewer: Viewer, allowed: Introspection): void {
  if (mayIntrospect(viewer, allowed) || !asksForSchema(document)) return;
  const message =
    allowed === 'admins'
      ? 'Only admins may introspect this schema: log in as an admin.'
      : 'Introspection is switched off here.';
  throw graphqlErrorOf(new PlatformError('FORBIDDEN', message));
}

/**
 * A message of graphql-js without its "Did you mean ...?". Such suggestions name fields, arguments, types and enum values,
 * from which a caller who may not read the schema could reconstruct it.
 */
export const withoutSuggestion = (message: string): string => message.replace(/ ?Did you mean .*\?/gs, '');

/** The errors for a caller: without suggestions, if the caller may not read the schema. */
export const visibleErrors = <FormattedError extends { readonly message: string }>(
  errors: readonly FormattedError[],
  viewer: Viewer,
  allowed: Introspection,
): readonly FormattedError[] =>
  mayIntrospect(viewer, allowed)
    ? errors
    : errors.map((error) => ({ ...error, message: withoutSuggestion(error.message) }));

/** The Apollo Server plugin that refuses introspection, and removes suggestions, for callers who may not read the schema. */
export const introspectionPlugin = <Context extends { viewer: Viewer }>(
  allowed: Introspection,
): ApolloServerPlugin<Context> => ({
  requestDidStart: async () => ({
    didResolveOperation: async ({ document, contextValue: { viewer } }) =>
      checkIntrospection(document, viewer, allowed),
    willSendResponse: async ({ contextValue: { viewer }, response: { body } }) => {
      if (body.kind !== 'single' || !body.singleResult.errors) return;
      body.singleResult.errors = visibleErrors(body.singleResult.errors, viewer, allowed);
    },
  }),
});
