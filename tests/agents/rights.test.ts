import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { SCOPE_NAMES } from '#server/auth/scopes.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { clientToken } from '../events/support.ts';
import { startPlatform, type GraphAnswer, type TestPlatform, type Untyped } from '../support/platform.ts';
import { connectAgent, textOf, type Agent } from './support.ts';
import { TOOL_ARGUMENTS } from './tool-arguments.ts';

const FOLDER = 'gateway/agents/operations';
const REFUSED = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'UNAUTHORIZED_FIELD_OR_TYPE']);

interface Caller {
  name: string;
  /** The gym that the caller belongs to, or else one that they may name. */
  gymId: string;
  token: string | undefined;
  agent: Agent;
}

let platform: TestPlatform;
let tools: { name: string; text: string }[];
let callers: Caller[] = [];
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES, gateway: true });
  const files = (await readdir(FOLDER)).toSorted();
  tools = await Promise.all(
    files.map(async (file) => ({
      name: path.basename(file, '.graphql'),
      text: await readFile(path.join(FOLDER, file), 'utf8'),
    })),
  );
  const tokens: [string, string | undefined][] = [
    ['anonymous', undefined],
    ['a user without a gym', (await platform.register(null)).token],
    ['a member', (await platform.register()).token],
    ['staff', await platform.demo('admin@iron.test')],
    ['staff of another gym', await platform.demo('admin@aqua.test')],
    ['super admin', await platform.demo('super@demo.test')],
  ];
  for (const scope of SCOPE_NAMES)
    tokens.push([`client with ${scope}`, await clientToken(platform, [scope])]);
  callers = await Promise.all(
    tokens.map(async ([name, token]) => ({
      name,
      gymId: (name === 'staff of another gym' ? DEMO_GYMS.aquaClub : DEMO_GYMS.ironTemple).id,
      token,
      agent: await connectAgent(platform, token),
    })),
  );
});
afterAll(async () => {
  await Promise.all(callers.map(({ agent }) => agent.close()));
  await platform.stop();
});

/** A SUPER_ADMIN belongs to no gym, so they name one in each operation that has the variable `$gymId`. */
const argumentsFor = (name: string, text: string, { name: caller, gymId }: Caller) => ({
  ...(caller === 'super admin' && text.includes('$gymId') && { gymId }),
  ...TOOL_ARGUMENTS[name]?.(gymId),
});

const codesOf = (errors: readonly Untyped[] | undefined): string[] =>
  (errors ?? []).map(({ code, extensions }) => (code ?? extensions.code) as string).toSorted();

async function throughTool({ agent }: Caller, name: string, args: Record<string, unknown>) {
  const result = await agent.client.callTool({ name, arguments: args });
  const { errors, data, ...rest } = JSON.parse(textOf(result));
  return { codes: codesOf(errors), data: (result.isError ? data : rest) as unknown };
}

async function throughGraph({ token }: Caller, text: string, args: Record<string, unknown>) {
  const answer: GraphAnswer = await platform.graph('gateway', text, args, token ? { token } : {});
  return { codes: codesOf(answer.errors), data: answer.data as unknown };
}

/** Whether the data contains a value other than null, empty lists and empty objects. */
const hasContent = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(hasContent)
    : value !== null && value !== undefined;

it('every tool answers every caller as the graph does, and is listed for the callers who can use it', async () => {
  const different: unknown[] = [];
  const wronglyListed: unknown[] = [];
  for (const caller of callers) {
    const listed = new Set((await caller.agent.client.listTools()).tools.map(({ name }) => name));
    for (const { name, text } of tools) {
      const args = argumentsFor(name, text, caller);
      const [byTool, byGraph] = [
        await throughTool(caller, name, args),
        await throughGraph(caller, text, args),
      ];
      // `my_qr_code` makes a new code each time.
      const isRepeatable = /^query /m.test(text) && name !== 'my_qr_code';
      const hasSameCodes = byTool.codes.join() === byGraph.codes.join();
      if (!hasSameCodes || (isRepeatable && !isEqual(byTool.data, byGraph.data)))
        different.push({ caller: caller.name, name, byTool, byGraph });
      const isRefused = byTool.codes.some((code) => REFUSED.has(code));
      const isUseful = byTool.codes.length === 0 && hasContent(byTool.data);
      if (listed.has(name) ? isRefused : isUseful)
        wronglyListed.push({ caller: caller.name, name, isListed: listed.has(name), codes: byTool.codes });
    }
  }
  expect(different).toEqual([]);
  expect(wronglyListed).toEqual([]);
});

const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
