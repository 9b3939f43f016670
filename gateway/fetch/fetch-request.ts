import type { FetchNode } from '@apollo/query-planner';
import { OperationTypeNode } from 'graphql';
import type { Subgraph, SubgraphAnswer, SubgraphRequest } from '../subgraphs/subgraph.ts';
import { quoted } from '#server/graphql/quoted.ts';
import type { ExecutionContext } from '../execution/execution-context.ts';
import { withoutFiles, type Files } from './upload-variables.ts';

/** A fetch's request. Its text is prepared once; only the values of the variables are written for each execution. */
export class FetchRequest {
  private readonly subgraph: Subgraph;
  private readonly kind: SubgraphRequest['kind'];
  /** The text up to the opening brace of the variables, inclusive. */
  private readonly head: string;
  private readonly variables: readonly { readonly name: string; readonly prefix: string }[];
  /** The variables that may contain files. */
  private readonly uploads: ReadonlySet<string> | undefined;

  constructor(fetch: FetchNode, subgraph: Subgraph, uploads: ReadonlySet<string>) {
    const { operation, operationName, operationKind, variableUsages = [] } = fetch;
    this.subgraph = subgraph;
    this.kind = operationKind === OperationTypeNode.MUTATION ? 'mutation' : 'query';
    this.head = `{"query":${quoted(operation)}${
      operationName === undefined ? '' : `,"operationName":${quoted(operationName)}`
    },"variables":{`;
    this.variables = variableUsages.map((name) => ({ name, prefix: `${quoted(name)}:` }));
    this.uploads = variableUsages.some((name) => uploads.has(name)) ? uploads : undefined;
  }

  /** @param dataState see `SubgraphRequest` */
  send(execution: ExecutionContext, dataState = execution.request.dataState): Promise<SubgraphAnswer> {
    const files: Files | undefined = this.uploads && new Map();
    const body = `${this.head}${this.variablesOf(execution, files)}}}`;
    return this.post(execution, body, dataState, files?.size ? files : undefined);
  }

  /** @param representations a list of representations as JSON */
  sendFor(
    representations: string,
    execution: ExecutionContext,
    dataState = execution.request.dataState,
  ): Promise<SubgraphAnswer> {
    return this.sendWith(`"representations":${representations}`, execution, dataState);
  }

  /** @param entities JSON of the variables with representations, without its braces */
  sendWith(
    entities: string,
    execution: ExecutionContext,
    dataState = execution.request.dataState,
  ): Promise<SubgraphAnswer> {
    const variables = this.variablesOf(execution);
    return this.post(execution, `${this.head}${variables}${variables && ','}${entities}}}`, dataState);
  }

  private post(
    execution: ExecutionContext,
    body: string,
    dataState: string | undefined,
    files?: Files,
  ): Promise<SubgraphAnswer> {
    const { context } = execution.request;
    const { kind } = this;
    const timeout = kind === 'query' ? execution.timeoutOf(this.subgraph.name) : undefined;
    if (timeout) return Promise.reject(timeout);
    return this.subgraph.send(files ? { body, kind, context, files } : { body, kind, context, dataState });
  }

  /** The values of the variables, without those of representations. @param files gets the files of the variables */
  variablesOf({ request: { rawVariables } }: ExecutionContext, files?: Files): string {
    let text = '';
    for (const { name, prefix } of this.variables) {
      const value = Object.hasOwn(rawVariables, name) ? rawVariables[name] : undefined;
      if (value === undefined) continue;
      const sent = files && this.uploads?.has(name) ? withoutFiles(value, `variables.${name}`, files) : value;
      text += (text && ',') + prefix + JSON.stringify(sent);
    }
    return text;
  }
}
