import {
  isAbstractType,
  isObjectType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import { pathToArray } from 'graphql/jsutils/Path.js';
import { randomFrom } from '../graph-doubles/random.ts';
import type { MadeUpContext } from './both-executions.ts';
import { MADE_UP_TYPE, MadeUpValues } from './made-up-values.ts';

/** Fields of the federation specification, whose own resolvers are executed. */
const KEPT = new Set(['_entities', '_service']);

interface SubgraphExtensions {
  apollo?: { subgraph?: { resolveReference?: (reference: object, context: MadeUpContext) => unknown } };
}

/** Replaces the resolvers of a schema: about a third of all fields get one, and all root fields. */
export function makeUpResolvers(schema: GraphQLSchema): GraphQLSchema {
  const roots = new Set([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]);
  const hasResolver = (type: GraphQLObjectType, field: string) =>
    roots.has(type) || randomFrom(`${type.name}.${field}`).chance(0.35);
  const values = new MadeUpValues(schema, hasResolver);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type) && type.name !== '_Entity') resolveTypeIn(type);
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    resolveReferencesIn(type, values);
    for (const field of Object.values(type.getFields())) {
      if (KEPT.has(field.name)) continue;
      delete field.resolve;
      if (!hasResolver(type, field.name)) continue;
      field.resolve = (_source, args, context: MadeUpContext, info) => {
        const path = pathToArray(info.path).join('.');
        context.calls.push(`${path} ${JSON.stringify(args)} ${described(info)}`);
        return values.ofField(field.type, path, context);
      };
    }
  }
  return schema;
}

function resolveReferencesIn(type: GraphQLObjectType, values: MadeUpValues): void {
  const { apollo } = type.extensions as SubgraphExtensions;
  if (!apollo?.subgraph?.resolveReference) return;
  apollo.subgraph.resolveReference = (reference, context) => {
    context.calls.push(`reference ${JSON.stringify(reference)}`);
    return values.ofField(type, `reference.${JSON.stringify(reference)}`, context);
  };
}

/** Some abstract types resolve the type of a value at once, some later, and some call `isTypeOf` of the object types. */
function resolveTypeIn(type: { name: string; resolveType?: unknown }): void {
  const kind = randomFrom(type.name).below(3);
  if (kind === 0) return;
  type.resolveType = (
    value: { __typename?: unknown; key?: string },
    context: MadeUpContext,
    info: GraphQLResolveInfo,
  ) => {
    context.calls.push(`type of ${type.name} ${described(info)}`);
    const { key = '?', __typename: typename } = value;
    const random = randomFrom(`${context.seed}/${key}/type`);
    const typeOrError = () => {
      if (random.chance(0.03)) throw new Error(`no type for ${key}`);
      return typename;
    };
    return kind === 1 ? typeOrError() : context.turns.later(`type of ${key}`, typeOrError);
  };
}

/** Adds an `isTypeOf` to the object types; of some types it returns at once, of others a promise. */
export function makeUpTypeChecks(schema: GraphQLSchema, names: readonly string[]): void {
  for (const name of names) {
    const type = schema.getType(name);
    if (!isObjectType(type)) throw new Error(`There is no object type ${name}.`);
    const isLater = randomFrom(name).chance(0.5);
    type.isTypeOf = (value: { key?: string; [MADE_UP_TYPE]?: string }, context: MadeUpContext) => {
      const key = `${name} ${value.key ?? '?'}`;
      context.calls.push(`is ${key}`);
      const isOfType = () => {
        if (randomFrom(`${context.seed}/${key}/check`).chance(0.03)) throw new Error(`no check of ${key}`);
        return value[MADE_UP_TYPE] === name;
      };
      return isLater ? context.turns.later(`is ${key}`, isOfType) : isOfType();
    };
  }
}

const described = ({
  fieldName,
  parentType,
  returnType,
  fieldNodes,
  variableValues,
  operation,
  fragments,
}: GraphQLResolveInfo) =>
  [
    `${parentType.name}.${fieldName}: ${String(returnType)}`,
    fieldNodes.length,
    JSON.stringify(variableValues),
    operation.operation,
    Object.keys(fragments).length,
  ].join(' ');
