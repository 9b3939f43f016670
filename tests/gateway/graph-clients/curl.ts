import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ExecutionResult } from 'graphql';
import { partsIn } from '../../support/parts.ts';
import {
  eventsOf,
  resultOf,
  RETRY_MILLIS,
  statesOf,
  type ClientResult,
  type GraphOperation,
  type MakeClient,
} from './graph-client.ts';

const run = promisify(execFile);

/** curl, as a developer calls it in a terminal. */
export const curl: MakeClient = (url, token) => {
  const target = `${url}/graphql`;
  const authorization = () => (token() === undefined ? [] : ['-H', `authorization: Bearer ${token()}`]);
  const result = async (...args: string[]): Promise<ClientResult> => {
    const { stdout } = await run('curl', ['-s', target, ...authorization(), ...args]);
    return resultOf(JSON.parse(stdout) as ExecutionResult);
  };
  const json = (operation: GraphOperation): string[] => [
    '-H',
    'content-type: application/json',
    '-d',
    JSON.stringify(operation),
  ];
  return {
    name: 'curl',
    send: (operation) => result(...json(operation)),
    get: ({ query, variables = {} }) =>
      result(
        '-G',
        '--data-urlencode',
        `query=${query}`,
        '--data-urlencode',
        `variables=${JSON.stringify(variables)}`,
      ),
    async upload({ query, variables }, file) {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'curl-upload-'));
      try {
        await writeFile(path.join(folder, 'file'), Buffer.from(await file.arrayBuffer()));
        const operations = JSON.stringify({ query, variables: { ...variables, file: null } });
        return await result(
          '-H',
          'apollo-require-preflight: true',
          '-F',
          `operations=${operations}`,
          '-F',
          'map={"0":["variables.file"]}',
          '-F',
          `0=@${path.join(folder, 'file')}`,
        );
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    async readParts(operation) {
      const { stdout } = await run('curl', [
        '-sN',
        target,
        ...authorization(),
        '-H',
        'accept: multipart/mixed',
        ...json(operation),
      ]);
      return statesOf(partsIn(stdout));
    },
    subscribe: (operation) =>
      eventsOf((push) => {
        let isOpen = true;
        let stop = (): void => undefined;
        const start = (): void => {
          if (!isOpen) return;
          const child = spawn('curl', [
            '-sN',
            target,
            ...authorization(),
            '-H',
            'accept: text/event-stream',
            ...json(operation),
          ]);
          stop = () => child.kill();
          let text = '';
          child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
            for (const [, data = ''] of text.matchAll(/^event: next\ndata: (.*)\n\n/gm))
              push((JSON.parse(data) as ExecutionResult).data);
            text = text.slice(text.lastIndexOf('\n\n') + 1);
          });
          child.on('exit', () => setTimeout(start, RETRY_MILLIS)); // as a loop in a shell script would
        };
        start();
        return () => {
          isOpen = false;
          stop();
        };
      }),
  };
};
