import { Supergraph } from '@apollo/federation-internals';
import {
  BreakingChangeType,
  buildASTSchema,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  isInputObjectType,
  Kind,
  parse,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type GraphQLSchema,
} from 'graphql';

/** One change, and advice for its author. */
export interface SchemaChange {
  what: string;
  advice: string;
  /**
   * The schema coordinate of the field or argument: only clients that use it notice the change. Absent if the usage report
   * cannot say which clients are concerned.
   */
  coordinate?: string | undefined;
}

interface SchemaChanges {
  /** A valid operation would become invalid, or its answer unreadable for the client. */
  breaking: SchemaChange[];
  /** Every operation stays valid, but a client or router may not expect the change. */
  dangerous: SchemaChange[];
}

/**
 * The changes between two schemas that affect clients. Each schema is a supergraph or plain SDL. graphql-js finds the
 * changes, because @graphql-inspector/core has no advice for changed arguments, and reports a directive that is no longer
 * `repeatable` as harmless.
 * @throws GraphQLError for a text that is not SDL
 */
export function schemaChanges(before: string, after: string): SchemaChanges {
  const [documentBefore, documentAfter] = [parse(before), parse(after)];
  const [apiBefore, apiAfter] = [apiSchemaOf(documentBefore), apiSchemaOf(documentAfter)];
  return {
    breaking: findBreakingChanges(apiBefore, apiAfter).map(({ type, description }) => ({
      what: description,
      advice: BREAKING_ADVICE[type],
      coordinate: coordinateOf(type, description, apiBefore),
    })),
    dangerous: [
      ...findDangerousChanges(apiBefore, apiAfter).map(({ type, description }) => ({
        what: description,
        advice: DANGEROUS_ADVICE[type],
      })),
      ...removedSubgraphs(documentBefore, documentAfter),
    ],
  };
}

/**
 * The coordinate that decides which clients notice the change. A removed or changed field and a new required argument
 * concern all clients that select the field; a removed or changed argument concerns only those that send it.
 */
function coordinateOf(
  type: BreakingChangeType,
  description: string,
  schema: GraphQLSchema,
): string | undefined {
  const field = /^(?:A required arg \w+ on )?(\w+\.\w+)/.exec(description)?.[1];
  // The usage report of the gateway does not count the fields of inputs.
  if (isInputObjectType(schema.getType(field?.split('.', 1)[0] ?? ''))) return undefined;
  const arg = / arg (\w+)/.exec(description)?.[1];
  switch (type) {
    case BreakingChangeType.FIELD_REMOVED:
    case BreakingChangeType.FIELD_CHANGED_KIND:
    case BreakingChangeType.REQUIRED_ARG_ADDED:
      return field;
    case BreakingChangeType.ARG_REMOVED:
    case BreakingChangeType.ARG_CHANGED_KIND:
      return field === undefined || arg === undefined ? undefined : `${field}(${arg}:)`;
    default:
      return undefined;
  }
}

/** The schema that clients see: a supergraph without the definitions that only routers need; other SDL unchanged. */
function apiSchemaOf(document: DocumentNode): GraphQLSchema {
  if (!subgraphsOf(document)) return buildASTSchema(document, { assumeValidSDL: true });
  return Supergraph.build(document, { supportedFeatures: null, validateSupergraph: false })
    .apiSchema()
    .toGraphQLJSSchema();
}

/** The names of a supergraph's subgraphs; undefined if the document is no supergraph. */
function subgraphsOf(document: DocumentNode): string[] | undefined {
  return document.definitions
    .find(
      (node): node is EnumTypeDefinitionNode =>
        node.kind === Kind.ENUM_TYPE_DEFINITION && node.name.value === 'join__Graph',
    )
    ?.values?.map(({ name }) => name.value);
}

function removedSubgraphs(before: DocumentNode, after: DocumentNode): SchemaChange[] {
  const remaining = subgraphsOf(after);
  if (!remaining) return [];
  return (subgraphsOf(before) ?? [])
    .filter((name) => !remaining.includes(name))
    .map((name) => ({
      what: `The subgraph ${name} was removed.`,
      advice: 'Keep it running until every router has loaded the new supergraph.',
    }));
}

const DEPRECATE_FIRST =
  'Keep it with @deprecated(reason: "...") beside its replacement, and remove it when no client uses it any more.';
/** For types, members of unions, interfaces and directives, which GraphQL cannot mark as @deprecated. */
const KEEP_UNTIL_UNUSED =
  'Keep it, say in the CHANGELOG that it will be removed, and remove it when no client uses it any more.';
const OTHER_TYPE =
  'Do not change it: add a new type under another name, and deprecate the fields of the old type.';
const OTHER_FIELD =
  'Do not change it: add a new field or argument under another name, and deprecate this one.';
const OTHER_DIRECTIVE = 'Do not change it: add a new directive under another name.';
const OPTIONAL = 'Make it optional, or give it a default value.';

const BREAKING_ADVICE: Readonly<Record<BreakingChangeType, string>> = {
  [BreakingChangeType.TYPE_REMOVED]: KEEP_UNTIL_UNUSED,
  [BreakingChangeType.TYPE_CHANGED_KIND]: OTHER_TYPE,
  [BreakingChangeType.TYPE_REMOVED_FROM_UNION]: KEEP_UNTIL_UNUSED,
  [BreakingChangeType.VALUE_REMOVED_FROM_ENUM]: DEPRECATE_FIRST,
  [BreakingChangeType.REQUIRED_INPUT_FIELD_ADDED]: OPTIONAL,
  [BreakingChangeType.IMPLEMENTED_INTERFACE_REMOVED]: KEEP_UNTIL_UNUSED,
  [BreakingChangeType.FIELD_REMOVED]: DEPRECATE_FIRST,
  [BreakingChangeType.FIELD_CHANGED_KIND]: OTHER_FIELD,
  [BreakingChangeType.REQUIRED_ARG_ADDED]: OPTIONAL,
  [BreakingChangeType.ARG_REMOVED]: DEPRECATE_FIRST,
  [BreakingChangeType.ARG_CHANGED_KIND]: OTHER_FIELD,
  [BreakingChangeType.DIRECTIVE_REMOVED]: KEEP_UNTIL_UNUSED,
  [BreakingChangeType.DIRECTIVE_ARG_REMOVED]: DEPRECATE_FIRST,
  [BreakingChangeType.REQUIRED_DIRECTIVE_ARG_ADDED]: OPTIONAL,
  [BreakingChangeType.DIRECTIVE_REPEATABLE_REMOVED]: OTHER_DIRECTIVE,
  [BreakingChangeType.DIRECTIVE_LOCATION_REMOVED]: OTHER_DIRECTIVE,
};

const UNKNOWN_CASES = 'Clients that handle every known case do not handle this one: announce it first.';
const OTHER_MEANING = 'The meaning changes for clients that leave it out: announce it first.';

const DANGEROUS_ADVICE: Readonly<Record<DangerousChangeType, string>> = {
  [DangerousChangeType.VALUE_ADDED_TO_ENUM]: UNKNOWN_CASES,
  [DangerousChangeType.TYPE_ADDED_TO_UNION]: UNKNOWN_CASES,
  [DangerousChangeType.IMPLEMENTED_INTERFACE_ADDED]: UNKNOWN_CASES,
  [DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED]:
    'Nothing to do if operations without it keep their meaning.',
  [DangerousChangeType.OPTIONAL_ARG_ADDED]: 'Nothing to do if operations without it keep their meaning.',
  [DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE]: OTHER_MEANING,
};
