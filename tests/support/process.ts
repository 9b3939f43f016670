import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { testRun } from './test-run.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/** A program of the platform in its own process, started as an operator starts it. */
export interface StartedProcess {
  readonly child: ChildProcess;
  /** Its output so far. */
  output(): string;
  /** Resolves when its output matches; rejects if the process ends first. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends the signal and resolves to the exit code (null after a kill). */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  readonly ended: Promise<number | null>;
}

/**
 * Starts `node main.ts ...args`, or another program, with the Node that runs the tests. The program gets `env`, and of the
 * machine's variables only PATH, HOME and TMPDIR, because others could change its behaviour. By default it stops without a
 * delay.
 */
export function startProcess(
  args: readonly string[],
  env: Record<string, string>,
  program = 'main.ts',
): StartedProcess {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: ROOT,
    env: {
      PATH,
      HOME,
      ...(TMPDIR && { TMPDIR }),
      NODE_COMPILE_CACHE: testRun.current().compileCache,
      DRAIN_DELAY_MILLIS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const watchers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (const watcher of watchers) watcher();
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    ended,
    output: () => text,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(text);
          if (found) {
            watchers.delete(look);
            resolve(found);
          }
        };
        watchers.add(look);
        void ended.finally(() => {
          look();
          reject(new Error(`The process ended without printing ${pattern}:\n${text}`));
        });
        look();
      }),
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

/** The system chooses every port, so that no other program on the machine has it. */
export const ANY_PORTS = Object.fromEntries(
  ['GATEWAY', 'GYM', 'NUTRITION', 'CONTENT', 'SQUAD', 'WIZARD', 'IDENTITY'].map((name) => [
    `${name}_PORT`,
    '0',
  ]),
);
