import { OperationTypeNode, Kind, type OperationDefinitionNode } from 'graphql';
import { ERRORS } from '../errors.ts';
import type { GraphFacts } from '../http/request-context.ts';
import { isJsonObject, jsonIn } from '../json-object.ts';
import { classOfOperation, type OperationClass } from '../observability/operation-class.ts';

/** The class of an operation, by its root fields; fields of fragments are not read. */
export const classOf = ({ operation, selectionSet }: OperationDefinitionNode): OperationClass =>
  operation === OperationTypeNode.QUERY
    ? 'read'
    : classOfOperation(
        operation,
        selectionSet.selections.map((field) => (field.kind === Kind.FIELD ? field.name.value : '')),
      );

/**
 * Whether one of the errors is a failure of the platform: the status of its code is 500 or above, or Apollo has named no code.
 * @param errors as clients get them, because an error has its code only after it was formatted
 */
export const hasServerError = (errors: readonly unknown[]): boolean => errors.some(isServerError);

function isServerError(error: unknown): boolean {
  const extensions = isJsonObject(error) ? error.extensions : undefined;
  const code = isJsonObject(extensions) ? extensions.code : undefined;
  const known =
    typeof code === 'string' && Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS] : undefined;
  return known ? known.status >= 500 : code === 'INTERNAL_SERVER_ERROR';
}

/** What metrics and the span say about an answer. @param body its JSON text, whose errors are first */
export const factsOf = (kind: OperationClass, body: string): GraphFacts => {
  if (!body.startsWith('{"errors"') && !body.startsWith('[')) return { kind };
  const answers = [jsonIn(body)].flat();
  return {
    kind,
    hasFailed: answers.some(
      (answer) => isJsonObject(answer) && Array.isArray(answer.errors) && hasServerError(answer.errors),
    ),
  };
};
