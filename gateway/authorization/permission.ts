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
  /** Callers with equal masks are refused the same fields. Empty if no field is refused. */
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
  if (!permitted) throw rest.errors[0] ?? new Error('expected an error for every refused field');
  return { mask, document: permitted, ...rest };
}

/** What remains of an operation without the refused fields. */
interface PermittedPart {
  /** Undefined if every field is refused. */
  readonly document: DocumentNode | undefined;
  readonly errors: Permission['errors'];
  readonly removeRefusedValues: NonNullable<Permission['removeRefusedValues']>;
}

/** Removes the refused fields from an operation. */
export function permittedPart(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  refused: readonly ProtectedField[],
): PermittedPart {
  return {
    document: withoutFields(document, operation, new Set(refused.map(({ node }) => node))),
    errors: unauthorizedErrors(refused),
    removeRefusedValues: (data) => removeRefusedValues(data, refused),
  };
}
