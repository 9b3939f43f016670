import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TestPlatform, Untyped } from '../support/platform.ts';

/** An agent: a client of the MCP SDK with the access token of a caller, or without a token. */
export interface Agent {
  client: Client;
  /** Calls a tool, and returns its data. @throws Error with the text of the result if the call has failed */
  call(name: string, args?: object): Promise<Untyped>;
  /** How often `call` was called so far. */
  readonly calls: number;
  close(): Promise<void>;
}

export async function connectAgent(platform: TestPlatform, token?: string): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' });
  const headers = token === undefined ? undefined : { Authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', platform.url('gateway')), {
      ...(headers && { requestInit: { headers } }),
    }),
  );
  let calls = 0;
  return {
    client,
    get calls() {
      return calls;
    },
    async call(name, args = {}) {
      calls += 1;
      const result = await client.callTool({ name, arguments: { ...args } });
      if (result.isError) throw new Error(textOf(result));
      return result.structuredContent;
    },
    close: () => client.close(),
  };
}

/** The text of a tool's result. */
export const textOf = (result: Untyped): string => result.content[0].text;
