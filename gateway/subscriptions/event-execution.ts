import { getVariableValues, type ExecutionResult } from 'graphql';
import type { Logger } from '#server/observability/logger.ts';
import { prepareExecution } from '../plan/prepare-execution.ts';
import { clientError, shownError } from '../response/client-error.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import type { SubgraphAnswer } from '../subgraphs/subgraph.ts';
import type { SubscriptionPlan } from './subscription-plans.ts';

/**
 * Executes a subscription's plan for one event: the event is the answer to the primary fetch, which is the fetch of the
 * subscription's field, and all other fetches are sent.
 */
type EventExecution = (event: ExecutionResult, context: GatewayContext) => Promise<ExecutionResult>;

export function eventExecution(
  plan: SubscriptionPlan,
  rawVariables: Record<string, unknown>,
  log: Logger,
): EventExecution {
  const { graph, document, operation, primary, perEvent, permission } = plan;
  const execution = prepareExecution(
    {
      graph,
      document,
      operation,
      plan: perEvent,
      primary,
      removeRefusedValues: permission.removeRefusedValues,
    },
    { formatError: (error) => shownError(error, log) }, // required, but unused here: only `toJson` calls it
  );
  const { coerced } = getVariableValues(graph.apiSchema, operation.variableDefinitions ?? [], rawVariables);
  return async (event, context) => {
    const { data, errors } = await execution.toResult({
      variables: coerced ?? {},
      rawVariables,
      context,
      primaryAnswer: answerOf(event),
      errors: permission.errors,
    });
    return {
      data: data ?? null,
      ...(errors && { errors: errors.map((error) => clientError(error, log)) }),
    };
  };
}

/** An event in the form of a subgraph's answer. */
const answerOf = ({ data, errors }: ExecutionResult): SubgraphAnswer => ({
  data: data ?? null,
  ...(errors && { errors }),
});
