import type { FetchNode, PlanNode } from '@apollo/query-planner';
import { BREAK, visit } from 'graphql';
import type { ExecutionSource } from '../execution/execution.ts';
import { isInherited } from '../fetch/inherited-names.ts';

/** Why @apollo/gateway's executor has to run this operation; undefined if it can be compiled. */
export function fallbackReason({ document, plan }: ExecutionSource): string | undefined {
  return reasonInDocument(document) ?? (plan.node && reasonInPlan(plan.node));
}

function reasonInDocument(document: ExecutionSource['document']): string | undefined {
  let reason: string | undefined;
  visit(document, {
    Field({ name, alias }) {
      if (name.value === '__schema' || name.value === '__type') reason = 'introspection';
      else if (isInherited(alias?.value ?? name.value)) reason = 'name of an inherited property';
      return reason && BREAK;
    },
  });
  return reason;
}

function reasonInPlan(node: NonNullable<ExecutionSource['plan']['node']>): string | undefined {
  switch (node.kind) {
    case 'Sequence':
    case 'Parallel':
      return first(node.nodes);
    case 'Condition':
      return first([node.ifClause, node.elseClause]);
    case 'Flatten':
      if (node.node.kind !== 'Fetch') return 'several fetches below one path';
      return node.path.every(isPlainStep) ? reasonInPlan(node.node) : 'path with a type condition';
    case 'Fetch':
      return reasonInFetch(node);
    case 'Defer':
      return first([node.primary.node, ...node.deferred.map((part) => part.node)]);
    case 'Subscription':
      return 'subscription that was not split';
  }
}

function reasonInFetch({ requires, variableUsages, contextRewrites }: FetchNode): string | undefined {
  if (contextRewrites?.length) return 'argument from @fromContext';
  if (requires && variableUsages?.includes('representations')) return 'variable named "representations"';
  return undefined;
}

function first(nodes: readonly (PlanNode | undefined)[]): string | undefined {
  for (const node of nodes) {
    const reason = node && reasonInPlan(node);
    if (reason) return reason;
  }
  return undefined;
}

/** Apollo writes a type condition as `field|[Type]`. */
const isPlainStep = (step: string | number): boolean =>
  step === '@' || (typeof step === 'string' && /^\w+$/.test(step) && !isInherited(step));
