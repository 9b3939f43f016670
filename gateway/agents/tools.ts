import { OperationTypeNode, validate, type GraphQLSchema } from 'graphql';
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import type { Viewer } from '#server/auth/viewer.ts';
import type { Logger } from '#server/observability/logger.ts';
import { inputSchemaOf } from './input-schema.ts';
import type { ToolDocument } from './tool-documents.ts';

/** A tool that fits the current graph. */
export interface Tool extends ToolDocument {
  /** As `tools/list` shows it. */
  readonly listed: ListedTool;
}

/** The tools that the current graph can answer. */
export class Tools {
  private readonly documents: readonly ToolDocument[];
  private readonly log: Logger;
  private byName: ReadonlyMap<string, Tool> = new Map();

  constructor(documents: readonly ToolDocument[], log: Logger) {
    this.documents = documents;
    this.log = log;
  }

  /** Checks the tools against a schema that replaces the former one. A tool that does not fit is left out, and logged. */
  load(schema: GraphQLSchema): void {
    this.byName = new Map(
      this.documents.flatMap((document) => {
        try {
          const tool = { ...document, listed: listedTool(schema, document) };
          return [[document.name, tool] as const];
        } catch (error) {
          this.log.warn({ err: error, tool: document.name }, 'a tool for agents does not fit the graph');
          return [];
        }
      }),
    );
  }

  listFor(viewer: Viewer): readonly ListedTool[] {
    return [...this.byName.values()].filter(({ audience }) => audience(viewer)).map(({ listed }) => listed);
  }

  find(name: string): Tool | undefined {
    return this.byName.get(name);
  }
}

/** @throws Error if the operation is not valid in this schema */
function listedTool(schema: GraphQLSchema, tool: ToolDocument): ListedTool {
  const [error] = validate(schema, tool.document);
  if (error) throw error;
  const isQuery = tool.operation.operation === OperationTypeNode.QUERY;
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: { ...inputSchemaOf(schema, tool) },
    annotations: {
      readOnlyHint: isQuery,
      destructiveHint: tool.hints.has('destructive'),
      idempotentHint: isQuery || tool.hints.has('idempotent'),
      openWorldHint: false,
    },
  };
}
