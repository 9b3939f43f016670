import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook as Signer } from 'standardwebhooks';
import { freePorts } from '#server/http/free-ports.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../../subgraphs/gym/webhooks/send.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** How an example of docs/webhooks.md is run. */
interface Example {
  language: string;
  command: string;
  file: string;
  /** What the example leaves to its reader; here it prints the event. */
  storeOnce: string;
}

const TYPESCRIPT: Example = {
  language: 'ts',
  command: process.execPath,
  file: 'receiver.ts',
  storeOnce:
    'const storeOnce = async (id: unknown, event: { type: string }) => console.log(`${id} ${event.type}`);',
};

const PYTHON: Example = {
  language: 'python',
  command: 'python3',
  file: 'receiver.py',
  storeOnce: 'def store_once(id, event):\n    print(id, event["type"], flush=True)\n',
};

let folder: string;
let documentText: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'webhook-examples-'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  await writeFile(path.join(folder, 'package.json'), '{"type": "module"}');
  documentText = await readFile(path.join(ROOT, 'docs/webhooks.md'), 'utf8');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const event = {
  id: '0199aaaa-0000-7000-8000-000000000001',
  type: 'member.joined',
  gymId: '0199aaaa-0000-7000-8000-000000000002',
  subject: 'member/x',
  occurredAt: '2026-11-23T00:00:00.000Z',
  data: { displayName: 'Žofie “Zoë” 🏋' },
};

/** Starts the example of a language as a program of its own. */
async function started({ language, command, file, storeOnce }: Example) {
  const found = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(documentText)?.[1];
  if (!found) throw new Error(`docs/webhooks.md has no example in ${language}`);
  await writeFile(path.join(folder, file), `${storeOnce}\n${found}`);
  const [port = 0] = await freePorts(1);
  const child = spawn(command, [path.join(folder, file)], {
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) },
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  ends.push(() => {
    child.kill('SIGKILL');
    return ended;
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const url = `http://127.0.0.1:${port}/`;
  const post = async (body: string, headers: Record<string, string>): Promise<number> =>
    (await fetch(url, { method: 'POST', body, headers })).status;
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`the example has ended: ${errors}`);
    return post('', {}).then(
      () => true,
      () => false,
    );
  });
  return { url, post, output: () => output };
}

function signed(at: Date, body = JSON.stringify(event)): [body: string, headers: Record<string, string>] {
  const headers = {
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Signer(secret).sign(event.id, at, body),
  };
  return [body, headers];
}

/** What an example answers to requests, and what it has stored in the end. */
async function outcomeOf(example: Example) {
  const { url, post, output } = await started(example);
  const secrets = [`whsec_${randomBytes(32).toString('base64')}`, secret]; // as after a rotation
  const sent = await send(event, { url, secrets, allowsLoopback: true }, new AbortController().signal);
  const [body, headers] = signed(new Date());
  const received = [sent.statusCode, await post(body, headers)];
  await eventually(async () => output().split('\n').length > 2);
  const refused = {
    'another body': await post(body.replace('joined', 'gone'), headers),
    'another id': await post(body, { ...headers, 'webhook-id': 'another' }),
    'another signature': await post(body, { ...headers, 'webhook-signature': 'v1,AAAA' }),
    'no headers': await post(body, {}),
    'an old timestamp': await post(...signed(new Date(Date.now() - 301_000))),
    'a future timestamp': await post(...signed(new Date(Date.now() + 302_000))),
  };
  return { received, refused, stored: output() };
}

const OUTCOME = {
  received: [204, 204],
  refused: {
    'another body': 400,
    'another id': 400,
    'another signature': 400,
    'no headers': 400,
    'an old timestamp': 400,
    'a future timestamp': 400,
  },
  stored: `${event.id} member.joined\n`.repeat(2),
};

describe('the example in TypeScript', () => {
  it('stores what the platform sends, and refuses requests that were forged or have a wrong time', async () => {
    expect(await outcomeOf(TYPESCRIPT)).toEqual(OUTCOME);
  });
});

const whyNoPython = hasPython ? '' : ' (skipped: python3 is not installed)';
(hasPython ? describe : describe.skip)(`the example in Python, with python3${whyNoPython}`, () => {
  it('stores what the platform sends, and refuses requests that were forged or have a wrong time', async () => {
    expect(await outcomeOf(PYTHON)).toEqual(OUTCOME);
  });
});
