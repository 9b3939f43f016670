import { z } from 'zod';
import type { ServiceCall } from '#server/service-calls.ts';
import type { ActionCall } from '#server/saga/saga.ts';
import { NO_ORIGIN, type Origin } from '#server/unit-of-work.ts';

/** The only kind of saga of this service; its subject is the session. */
export const DEPLOYMENT = 'wizard-deployment';

/** The input that all actions of a deployment share. */
const DeploymentContext = z.object({
  sessionId: z.string(),
  /** The user who started the deployment, for the audit trails of the other services; null once their account is deleted. */
  actorId: z.string().nullable(),
  requestId: z.string(),
  traceparent: z.string(),
});
export type DeploymentContext = z.infer<typeof DeploymentContext>;

export const contextOf = ({ context }: ActionCall): DeploymentContext => DeploymentContext.parse(context);

export const originOf = (call: ActionCall): Origin => {
  const { requestId, traceparent } = contextOf(call);
  return { ...NO_ORIGIN, requestId, traceparent };
};

/** A call with this service's token, for the user who started the deployment, with the action's idempotency key. */
export const asService = (
  call: ActionCall,
  request: Pick<ServiceCall, 'method' | 'path' | 'body'>,
): ServiceCall => ({
  ...request,
  as: 'service',
  origin: originOf(call),
  onBehalfOf: contextOf(call).actorId ?? undefined,
  ...(request.method === 'POST' && { idempotencyKey: call.idempotencyKey }),
});
