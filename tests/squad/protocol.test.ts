import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { z } from 'zod';
import {
  CLIENT_EVENTS,
  CLOSE_CODES,
  SERVER_EVENTS,
  type ProtocolEvent,
} from '../../subgraphs/squad/socket/protocol.ts';

const page = await readFile(new URL('../../subgraphs/squad/PROTOCOL.md', import.meta.url), 'utf8');

/** The cells of the table below a heading of PROTOCOL.md, by event. A row may name several events. */
function tableBelow(heading: string): Map<string, string[]> {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [table = ''] = /^\|(?:.*\n\|)*.*/m.exec(section) ?? [];
  const rows = table.split('\n').slice(2);
  return new Map(
    rows.flatMap((row) => {
      const [, names = '', ...cells] = row.split('|').map((cell) => cell.trim());
      return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, cells]);
    }),
  );
}

/** The names of the outermost fields in a text such as `{squadId, message?, users: [{userId}]}`. */
function fieldsIn(text: string): string[] {
  let inner = text.replace(/^.*?`\{|\}`.*$/g, '');
  while (/[[{][^[\]{}]*[\]}]/.test(inner)) inner = inner.replace(/[[{][^[\]{}]*[\]}]/g, '');
  return [...inner.matchAll(/(\w+)\??(?:: *\w*)? *(?:,|$)/g)].map(([, name = '']) => name).toSorted();
}

const fieldsOf = (shape: z.ZodType): string[] =>
  Object.keys((shape as unknown as { shape: object }).shape).toSorted();

it.each([
  ['From the client', CLIENT_EVENTS],
  ['From the server', SERVER_EVENTS],
] as const)('PROTOCOL.md lists the events and their fields: %s', (heading, events) => {
  const table = tableBelow(heading);
  expect([...table.keys()].toSorted()).toEqual(events.map(({ name }) => name).toSorted());
  const listed = events.map(({ name }) => [name, table.get(name)?.slice(0, 2).map(fieldsIn)]);
  const declared = events.map(({ name, data, ack }: ProtocolEvent) => [
    name,
    [fieldsOf(data), ...(ack ? [fieldsOf(ack.omit({ serverTime: true }))] : [[]])],
  ]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(declared));
});

it('PROTOCOL.md explains every close code', () => {
  for (const { code } of CLOSE_CODES) expect(page).toContain(String(code));
});
