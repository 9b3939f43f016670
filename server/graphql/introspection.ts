import type { ApolloServerPlugin } from '@apollo/server';
import { BREAK, visit, type DocumentNode } from 'graphql';
import { isAdmin, type Viewer } from '../auth/viewer.ts';
import { PlatformError } from '../errors.ts';
import { graphqlErrorOf } from './errors.ts';

/** Who may ask for the schema. */
export type Introspection = 'on' | 'admins' | 'off';

/** `_service { sdl }` is the whole schema, too (Apollo Federation subgraph specification). */
const SCHEMA_FIELDS: ReadonlySet<string> = new Set(['__schema', '__type', '_service']);

const known = new WeakMap<DocumentNode, boolean>();

/** Whether any operation of the document asks for the schema; found once a document. */
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

/** The platform's services, the gateway among them, may always. */
export const mayIntrospect = (viewer: Viewer, allowed: Introspection): boolean =>
  allowed === 'on' || viewer.kind === 'service' || (allowed === 'admins' && isAdmin(viewer));

/** @throws FORBIDDEN, as GraphQL's own error, whose status the server takes over */
export function checkIntrospection(document: DocumentNode, viewer: Viewer, allowed: Introspection): void {
  if (mayIntrospect(viewer, allowed) || !asksForSchema(document)) return;
  const message =
    allowed === 'admins'
      ? 'Introspection is for admins here: log in as one.'
      : 'Introspection is switched off here.';
  throw graphqlErrorOf(new PlatformError('FORBIDDEN', message));
}

/**
 * A message of graphql-js without its "Did you mean ...?", which names fields, arguments, types and enum values: whoever
 * may not read the schema could collect it from them.
 */
export const withoutSuggestion = (message: string): string => message.replace(/ ?Did you mean .*\?/gs, '');

/** What both of Apollo's servers, the gateway's and a service's, do for those who may not read the schema. */
export const introspectionPlugin = <Context extends { viewer: Viewer }>(
  allowed: Introspection,
): ApolloServerPlugin<Context> => ({
  requestDidStart: async () => ({
    didResolveOperation: async ({ document, contextValue: { viewer } }) =>
      checkIntrospection(document, viewer, allowed),
    willSendResponse: async ({ contextValue: { viewer }, response: { body } }) => {
      if (body.kind !== 'single' || !body.singleResult.errors || mayIntrospect(viewer, allowed)) return;
      body.singleResult.errors = body.singleResult.errors.map((error) => ({
        ...error,
        message: withoutSuggestion(error.message),
      }));
    },
  }),
});
