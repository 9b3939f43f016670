import { getOperationAST, type DocumentNode, type GraphQLError, type OperationDefinitionNode } from 'graphql';
import type { Viewer } from '#server/auth/viewer.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import { grantsOf } from './grants.ts';
import { ProtectedFields, type ProtectedField } from './protected-fields.ts';
import { pruned } from './permitted-document.ts';
import type { Requirements } from './requirements.ts';
import { unauthorizedErrors } from './unauthorized-errors.ts';
import { removeRefusedValues } from './refused-values.ts';

/** What of an operation a caller gets. */
export interface Permission {
  /** Equal for all who are refused the same; empty where nothing is. */
  readonly mask: string;
  /** The document without the refused fields: what is planned and fetched. */
  readonly document: DocumentNode;
  /** What stands before the other errors of every result. */
  readonly errors: readonly GraphQLError[];
  /** Takes the refused values out of what was fetched all the same. */
  readonly removeRefusedValues?: (data: Record<string, unknown>) => void;
}

/** @throws the refusal where nothing is left of the operation */
export function permissionOf(
  { apiSchema }: LoadedGraph,
  requirements: Requirements,
  document: DocumentNode,
  operationName: string | undefined,
  viewer: Viewer,
): Permission {
  const operation = getOperationAST(document, operationName);
  if (requirements.isEmpty || !operation) return { mask: '', document, errors: [] };
  const grants = grantsOf(viewer);
  const fields = new ProtectedFields(apiSchema, requirements, document, operation);
  const mask = fields.maskOf(grants);
  if (mask === '') return { mask, document, errors: [] };
  const { document: left, ...rest } = permittedPart(document, operation, fields.refusedTo(grants));
  if (!left) throw rest.errors[0] ?? new Error('a refusal has a reason');
  return { mask, document: left, ...rest };
}

/** What is left of an operation without the refused fields; no document where that is nothing. */
export function permittedPart(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  refused: readonly ProtectedField[],
): Omit<Required<Permission>, 'mask' | 'document'> & { readonly document: DocumentNode | undefined } {
  return {
    document: pruned(document, operation, new Set(refused.map(({ node }) => node))),
    errors: unauthorizedErrors(refused),
    removeRefusedValues: (data) => removeRefusedValues(data, refused),
  };
}
