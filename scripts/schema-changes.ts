import { Supergraph } from '@apollo/federation-internals';
import {
  BreakingChangeType,
  buildASTSchema,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  Kind,
  parse,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type GraphQLSchema,
} from 'graphql';

/** One change, and what its author can do about it. */
export interface SchemaChange {
  what: string;
  advice: string;
}

export interface SchemaChanges {
  /** An operation that was valid would not be, or its answer could not be read. */
  breaking: SchemaChange[];
  /** Every operation stays valid, but a client or router may be surprised. */
  dangerous: SchemaChange[];
}

/** What changes for clients between two schemas; each is a supergraph, or plain SDL. @throws GraphQLError for what is neither */
export function schemaChanges(before: string, after: string): SchemaChanges {
  const [documentBefore, documentAfter] = [parse(before), parse(after)];
  const [apiBefore, apiAfter] = [apiSchemaOf(documentBefore), apiSchemaOf(documentAfter)];
  return {
    breaking: findBreakingChanges(apiBefore, apiAfter).map(({ type, description }) => ({
      what: description,
      advice: BREAKING_ADVICE[type],
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

/** What clients see of it: a supergraph without the words that are the router's alone, other SDL as it is. */
function apiSchemaOf(document: DocumentNode): GraphQLSchema {
  if (!subgraphsOf(document)) return buildASTSchema(document, { assumeValidSDL: true });
  return Supergraph.build(document, { supportedFeatures: null, validateSupergraph: false })
    .apiSchema()
    .toGraphQLJSSchema();
}

/** The subgraphs by the names that a supergraph gives them; undefined where it is none. */
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
  'Keep it with @deprecated(reason: "...") beside what replaces it, and remove it when nobody asks for it any more.';
const OTHER_NAME = 'Leave it as it is, add the new shape under another name, and deprecate this one.';
const OPTIONAL = 'Make it optional, or give it a default value.';

const BREAKING_ADVICE: Readonly<Record<BreakingChangeType, string>> = {
  [BreakingChangeType.TYPE_REMOVED]: DEPRECATE_FIRST,
  [BreakingChangeType.TYPE_CHANGED_KIND]: OTHER_NAME,
  [BreakingChangeType.TYPE_REMOVED_FROM_UNION]: DEPRECATE_FIRST,
  [BreakingChangeType.VALUE_REMOVED_FROM_ENUM]: DEPRECATE_FIRST,
  [BreakingChangeType.REQUIRED_INPUT_FIELD_ADDED]: OPTIONAL,
  [BreakingChangeType.IMPLEMENTED_INTERFACE_REMOVED]: OTHER_NAME,
  [BreakingChangeType.FIELD_REMOVED]: DEPRECATE_FIRST,
  [BreakingChangeType.FIELD_CHANGED_KIND]: OTHER_NAME,
  [BreakingChangeType.REQUIRED_ARG_ADDED]: OPTIONAL,
  [BreakingChangeType.ARG_REMOVED]: DEPRECATE_FIRST,
  [BreakingChangeType.ARG_CHANGED_KIND]: OTHER_NAME,
  [BreakingChangeType.DIRECTIVE_REMOVED]: DEPRECATE_FIRST,
  [BreakingChangeType.DIRECTIVE_ARG_REMOVED]: DEPRECATE_FIRST,
  [BreakingChangeType.REQUIRED_DIRECTIVE_ARG_ADDED]: OPTIONAL,
  [BreakingChangeType.DIRECTIVE_REPEATABLE_REMOVED]: OTHER_NAME,
  [BreakingChangeType.DIRECTIVE_LOCATION_REMOVED]: OTHER_NAME,
};

const UNKNOWN_CASES = 'Clients that handle every known case do not know this one: tell them before.';
const OTHER_MEANING = 'Clients that leave it out get another meaning: tell them before.';

const DANGEROUS_ADVICE: Readonly<Record<DangerousChangeType, string>> = {
  [DangerousChangeType.VALUE_ADDED_TO_ENUM]: UNKNOWN_CASES,
  [DangerousChangeType.TYPE_ADDED_TO_UNION]: UNKNOWN_CASES,
  [DangerousChangeType.IMPLEMENTED_INTERFACE_ADDED]: UNKNOWN_CASES,
  [DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED]:
    'Nothing to do, if leaving it out means what it meant before.',
  [DangerousChangeType.OPTIONAL_ARG_ADDED]: 'Nothing to do, if leaving it out means what it meant before.',
  [DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE]: OTHER_MEANING,
};
