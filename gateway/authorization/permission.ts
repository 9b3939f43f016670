import { getOperationAST, type DocumentNode, type GraphQLError, type OperationDefinitionNode } from 'graphql';
import type { Viewer } from '#server/auth/viewer.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import { grantsOf } from './grants.ts';
import { ProtectedFields, type ProtectedField } from './protected-fields.ts';
import { withoutFields } from './permitted-document.ts';
import type { Requirements } from './requirements.ts';
import { unauthorizedErrors } from './unauthorized-errors.ts';
import { removeRefusedValues } from './refused-values.ts';

/** The part of an operation that a caller may run. */
export interface Permission {
  /** Equal for all callers who are refused the same fields; empty if no field is refused. */
  readonly mask: string;
  /** The document without the refused fields, from which the plan is made. */
  readonly document: DocumentNode;
  /** One error for each refused field; they precede the other errors of every result. */
  readonly errors: readonly GraphQLError[];
  /** Removes refused values that were fetched because another field requires them. */
  readonly removeRefusedValues?: (data: Record<string, unknown>) => void;
}

/** @throws the refusal if every field of the operation is refused */
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
  const { document: permitted, ...rest } = permittedPart(document, operation, fields.refusedTo(grants));
  if (!permitted) throw rest.errors[0] ?? new Error('an operation without permitted fields has an error');
  return { mask, document: permitted, ...rest };
}

/** An operation without the refused fields; no document if every field is refused. */
export function permittedPart(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  refused: readonly ProtectedField[],
): Omit<Required<Permission>, 'mask' | 'document'> & { readonly document: DocumentNode | undefined } {
  return {
    document: withoutFields(document, operation, new Set(refused.map(({ node }) => node))),
    errors: unauthorizedErrors(refused),
    removeRefusedValues: (data) => removeRefusedValues(data, refused),
  };
}
