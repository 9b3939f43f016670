import { expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { NO_ORIGIN } from '#server/unit-of-work.ts';
import { callTool } from '../../gateway/agents/tool-call.ts';
import { toolDocument } from '../../gateway/agents/tool-documents.ts';

const document = toolDocument(
  'foods',
  '# Foods.\n#\n# Audience: anybody\nquery foods { foods { nodes { name } } }',
);
const tool = { ...document, listed: { name: 'foods', inputSchema: { type: 'object' as const } } };

/** The result of the tool if the operation has these errors. */
async function resultWith(errors: readonly GraphQLError[]) {
  const graph = { count: async () => undefined, execute: async () => ({ data: null, errors }) };
  const { content, isError } = await callTool(tool, {}, { ...NO_ORIGIN, viewer: ANONYMOUS }, graph);
  const [part] = content;
  return { isError, text: part?.type === 'text' ? part.text : '' };
}

test('errors that exceed the size limit of a result are shortened, and its JSON is valid and says so', async () => {
  const message = 'é'.repeat(1_500);
  const errors = Array.from(
    { length: 30 },
    (_, index) =>
      new GraphQLError(`${index} ${message}`, { path: ['foods'], extensions: { code: 'FORBIDDEN' } }),
  );
  const { isError, text } = await resultWith(errors);
  expect(isError).toBe(true);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
  expect(JSON.parse(text)).toEqual({
    errors: [{ message: `0 ${message}`.slice(0, 1_000), code: 'FORBIDDEN', path: ['foods'] }],
    leftOut: expect.stringContaining('the first of 30 errors'),
  });
});

test('smaller errors are returned whole', async () => {
  const { text } = await resultWith([
    new GraphQLError('no', { path: ['foods'], extensions: { code: 'FORBIDDEN' } }),
  ]);
  expect(JSON.parse(text)).toEqual({ errors: [{ message: 'no', code: 'FORBIDDEN', path: ['foods'] }] });
});

test.each([
  [{ type: 'object' as const }, 'It has no argument to read less'],
  [{ type: 'object' as const, properties: { id: {} }, required: ['id'] }, 'It has no argument to read less'],
  [
    { type: 'object' as const, properties: { id: {}, search: {} }, required: ['id'] },
    'Use narrower arguments to read less: search.',
  ],
])(
  'data that exceed the size limit are replaced by a text that says how to read less',
  async (inputSchema, advice) => {
    const graph = {
      count: async () => undefined,
      execute: async () => ({ data: { foods: 'é'.repeat(40_000) } }),
    };
    const withArguments = { ...tool, listed: { ...tool.listed, inputSchema } };
    const { content, isError } = await callTool(
      withArguments,
      {},
      { ...NO_ORIGIN, viewer: ANONYMOUS },
      graph,
    );
    expect([isError, content]).toEqual([true, [{ type: 'text', text: expect.stringContaining(advice) }]]);
  },
);
