import { rm } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { StartError } from '../start-error.ts';

/** The longest pause: writers wait meanwhile, and requests must not fail because of a backup. */
export const MAX_PAUSE_MILLIS = 5_000; // 5 s
const PAUSED = 'paused\n';

let running = 0;
let pauses = 0;
let resumed = Promise.withResolvers<void>();
const whenIdle = new Set<() => void>();

/**
 * Runs a change of files whose content must fit the databases. It waits while a backup chooses its moment, because a folder has
 * no snapshots, as PostgreSQL has. Never call it within `work`: it would wait for the end of a pause that waits for `work`.
 */
export async function pausableWrite<Result>(work: () => Promise<Result>): Promise<Result> {
  while (pauses > 0) await resumed.promise;
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    if (running === 0) for (const notify of whenIdle) notify();
  }
}

/**
 * Lets no `work` of `pausableWrite` begin until `resume` is called, which must happen exactly once. `onPaused` is called when no
 * `work` is running any more. `resume` may be called before that, because a write to a broken disk may hang.
 */
function pauseWrites(onPaused: () => void): { resume(): void } {
  pauses += 1;
  const notify = () => {
    whenIdle.delete(notify);
    onPaused();
  };
  whenIdle.add(notify);
  if (running === 0) notify();
  return {
    resume() {
      whenIdle.delete(notify);
      pauses -= 1;
      if (pauses > 0) return;
      resumed.resolve();
      resumed = Promise.withResolvers();
    },
  };
}

/**
 * Lets the command `backup`, which is another process, pause the writes of this one: for as long as it is connected to the
 * socket in this private folder, at most MAX_PAUSE_MILLIS. If the command is killed, its connection closes.
 */
export async function allowPauses(folder: string): Promise<{ close(): Promise<void> }> {
  const file = socketIn(folder);
  await rm(file, { force: true });
  const connected = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    connected.add(socket);
    socket.on('error', () => undefined); // 'close' follows
    const limit = setTimeout(() => socket.destroy(), MAX_PAUSE_MILLIS);
    const pause = pauseWrites(() => socket.write(PAUSED));
    socket.once('close', () => {
      connected.delete(socket);
      clearTimeout(limit);
      pause.resume();
    });
    socket.resume();
  });
  server.maxConnections = 4;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(file, resolve);
  });
  server.unref();
  return {
    async close() {
      for (const socket of connected) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(file, { force: true });
    },
  };
}

/**
 * Pauses the writes of the process that has called `allowPauses` with this folder, while `work` runs.
 * @throws PauseEndedError if the process has resumed its writes in the meantime
 */
export async function whilePaused<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const socket = net.connect(socketIn(folder));
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', (cause) => reject(new StartError(NOT_PAUSED, { cause })));
      socket.once('close', () => reject(new PauseEndedError()));
      socket.once('data', () => resolve());
    });
    const result = await work();
    // While `work` blocks this process, it does not notice that the socket was closed. So the time is checked, too.
    if (socket.closed || performance.now() - startedAt > MAX_PAUSE_MILLIS) throw new PauseEndedError();
    return result;
  } finally {
    socket.destroy();
  }
}

const NOT_PAUSED =
  'The platform in this data folder did not pause its writes for long enough, so the backup would have no common moment. ' +
  'No file was written. Repeat the command; if it happens again, do it at a quieter hour, or stop the platform first.';

/** The process has resumed its writes before the work was done; a repetition may be faster. */
export class PauseEndedError extends StartError {
  constructor() {
    super(NOT_PAUSED);
  }
}

const socketIn = (folder: string): string => path.join(folder, 'pause.sock');
