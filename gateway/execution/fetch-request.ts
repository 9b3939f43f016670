import type { FetchNode } from '@apollo/query-planner';
import { OperationTypeNode } from 'graphql';
import type { Subgraph, SubgraphAnswer, SubgraphRequest } from '../subgraphs/subgraph.ts';
import { quoted } from './json-text.ts';
import type { Run } from './run.ts';
import { withoutFiles, type Files } from './upload-variables.ts';

/** A fetch's request: all of its text is ready but for the values of the variables. */
export class FetchRequest {
  private readonly subgraph: Subgraph;
  private readonly kind: SubgraphRequest['kind'];
  /** Up to and with the opening brace of the variables. */
  private readonly head: string;
  private readonly variables: readonly { readonly name: string; readonly lead: string }[];
  /** Those of the variables that may hold files. */
  private readonly uploads: ReadonlySet<string> | undefined;

  constructor(fetch: FetchNode, subgraph: Subgraph, uploads: ReadonlySet<string>) {
    const { operation, operationName, operationKind, variableUsages = [] } = fetch;
    this.subgraph = subgraph;
    this.kind = operationKind === OperationTypeNode.MUTATION ? 'mutation' : 'query';
    this.head = `{"query":${quoted(operation)}${
      operationName === undefined ? '' : `,"operationName":${quoted(operationName)}`
    },"variables":{`;
    this.variables = variableUsages.map((name) => ({ name, lead: `${quoted(name)}:` }));
    this.uploads = variableUsages.some((name) => uploads.has(name)) ? uploads : undefined;
  }

  send(run: Run): Promise<SubgraphAnswer> {
    if (this.uploads) return this.sendWithFiles(run, this.uploads);
    return this.post(run, `${this.head}${this.variablesOf(run)}}}`);
  }

  /** @param representations JSON of a list of entities */
  sendFor(representations: string, run: Run): Promise<SubgraphAnswer> {
    const variables = this.variablesOf(run);
    return this.post(
      run,
      `${this.head}${variables}${variables && ','}"representations":${representations}}}`,
    );
  }

  private post(run: Run, body: string, files?: Files): Promise<SubgraphAnswer> {
    const { context } = run.request;
    return this.subgraph.send(
      files ? { body, kind: this.kind, context, files } : { body, kind: this.kind, context },
    );
  }

  private variablesOf({ request: { rawVariables } }: Run): string {
    let text = '';
    for (const { name, lead } of this.variables) {
      const value = Object.hasOwn(rawVariables, name) ? rawVariables[name] : undefined;
      if (value !== undefined) text += (text && ',') + lead + JSON.stringify(value);
    }
    return text;
  }

  private sendWithFiles(run: Run, uploads: ReadonlySet<string>): Promise<SubgraphAnswer> {
    const { rawVariables } = run.request;
    const files: Files = new Map();
    let text = '';
    for (const { name, lead } of this.variables) {
      const value = Object.hasOwn(rawVariables, name) ? rawVariables[name] : undefined;
      if (value === undefined) continue;
      const sent = uploads.has(name) ? withoutFiles(value, `variables.${name}`, files) : value;
      text += (text && ',') + lead + JSON.stringify(sent);
    }
    return this.post(run, `${this.head}${text}}}`, files.size ? files : undefined);
  }
}
